//! A2A agents as they are met: a strict one that does what its task says, one that misbehaves as it is told, one that is
//! built on the official SDK, and one of KAOS, made up and real.

mod broken;
mod cards;
mod endings;
mod fixture;
mod hostile;
mod kaos;
mod peers;
mod tasks;
