//! The README and the guide, held to the program: commands run, names exist, configuration is read, links lead somewhere.

mod console;
mod links;
mod names;
mod pages;
mod words;
