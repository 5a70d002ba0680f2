//! The command line: the one place where all floors meet.
