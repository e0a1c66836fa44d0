//! What is known of a variable before it is built: it will hold floats, and have so many axes, some of known sizes.
//! Knows no layer.

use super::Variable;
use super::variable::BUILD;
use crate::error::{Error, ErrorKind, Result};
use crate::types::Spec;

impl Variable {
    /// A variable whose spec is known when it is built, of which some is known before: it will hold floats, and have so
    /// many axes, of these sizes where they are known.
    #[track_caller]
    pub(crate) fn unbuilt_of(name: &str, sizes: &[Option<usize>]) -> Variable {
        Variable::unbuilt(name).outlined(sizes)
    }

    /// Whether a value of this spec may be assigned, or build it if it is unbuilt.
    ///
    /// # Errors
    /// If not; the error names the variable, what it holds or will hold, and what was found.
    pub(crate) fn accepts_at_first(&self, found: Spec) -> Result<()> {
        if self.spec().is_some() {
            return self.accepts(found);
        }
        let Some(sizes) = self.outline() else { return Ok(()) };
        let fits = |(known, size): (&Option<usize>, &usize)| known.is_none_or(|it| it == *size);
        if found.dtype().is_float()
            && sizes.len() == found.rank()
            && sizes.iter().zip(found.sizes()).all(fits)
        {
            return Ok(());
        }
        let wanted = self.described();
        let message = format!("variable `{}` will hold {wanted}, found {found}", self.name());
        Err(Error::new(ErrorKind::Variable, message).with_help(BUILD))
    }

    /// What it holds, or will hold, as far as that is known.
    pub(crate) fn described(&self) -> String {
        match (self.spec(), self.outline()) {
            (Some(spec), _) => spec.to_string(),
            (None, None) => "unbuilt".to_string(),
            (None, Some(sizes)) => {
                let size = |it: &Option<usize>| it.map_or("?".to_string(), |size| size.to_string());
                let sizes: Vec<String> = sizes.iter().map(size).collect();
                format!("floats of shape [{}]", sizes.join(", "))
            }
        }
    }
}
