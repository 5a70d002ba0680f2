//! An A2A agent of this machine for tests: it does what its task says, and refuses what the official SDK would refuse.

#![allow(dead_code, reason = "tests; not every test uses everything")]

pub(crate) mod agent;
pub(crate) mod kaos;
pub(crate) mod site;
pub(crate) mod way;
