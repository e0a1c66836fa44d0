//! What the chapters show, by the id of each promise; prints to the character.

mod functions;
mod tape;
mod variables;
