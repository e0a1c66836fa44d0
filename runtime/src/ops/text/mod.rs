//! Reads graphs back from their text. Knows every op by name, and otherwise what `graph/text` prints.

mod cursor;
mod parse;
mod values;
