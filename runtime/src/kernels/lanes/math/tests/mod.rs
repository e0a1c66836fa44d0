//! The promises of the functions: accuracy, special values, and the same bits everywhere.
//! It knows no loops but its own.

mod accuracy;
mod cases;
mod measure;
mod platform;
mod same;
mod special;
