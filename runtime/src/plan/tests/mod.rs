//! Compiled equals eager: random programs, run op by op and by their plans. Knows the stages of a plan, to break them.

mod both;
mod compare;
mod data;
mod dice;
mod fuzz;
mod graphs;
mod grow;
mod layouts;
mod merge;
mod plans;
mod planted;
mod program;
