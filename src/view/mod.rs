//! What is to be seen: events folded into a view.
