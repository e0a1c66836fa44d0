//! A plan as text: its steps and its memory. Knows what a plan says of itself.

use super::Plan;
use std::fmt;

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (arena, made) = self.frame_bytes();
        writeln!(
            f,
            "plan {}: {} steps, arena {arena} bytes, results {made} bytes",
            self.name,
            self.texts.len()
        )?;
        for (at, text) in self.texts.iter().enumerate() {
            writeln!(f, "  {at}: {text}")?;
        }
        let in_place = self.slots.iter().filter(|slot| slot.in_place.is_some()).count();
        write!(
            f,
            "  variables: {} used, {} written, {in_place} in place",
            self.slots.len(),
            self.written()
        )
    }
}
