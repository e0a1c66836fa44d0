//! A place in a line of text, and the complaints about what stands there. Knows no grammar.

use crate::error::{Error, ErrorKind, Result};

/// The rest of a line.
#[derive(Clone)]
pub struct Cursor<'t> {
    rest: &'t str,
    line: usize,
}

impl<'t> Cursor<'t> {
    /// The start of a line, counted from 1.
    pub fn new(text: &'t str, line: usize) -> Cursor<'t> {
        Cursor { rest: text.trim(), line }
    }

    /// What is left.
    pub fn rest(&self) -> &'t str {
        self.rest
    }

    /// Whether nothing is left.
    pub fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    /// Steps over a text, if it stands here, and over the blanks after it.
    pub fn take(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    /// Steps over a text.
    ///
    /// # Errors
    /// If something else stands here.
    pub fn expect(&mut self, text: &str) -> Result<()> {
        if self.take(text) { Ok(()) } else { Err(self.wanted(&format!("`{text}`"))) }
    }

    /// Takes characters as long as they fit, and steps over the blanks after them.
    pub fn take_while(&mut self, fits: impl Fn(char) -> bool) -> &'t str {
        let end = self.rest.find(|it| !fits(it)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        taken
    }

    /// A word of letters, digits and underscores.
    ///
    /// # Errors
    /// If none stands here.
    pub fn word(&mut self) -> Result<&'t str> {
        match self.take_while(|it| it.is_alphanumeric() || it == '_') {
            "" => Err(self.wanted("a name")),
            word => Ok(word),
        }
    }

    /// A number without a sign.
    ///
    /// # Errors
    /// If none stands here.
    pub fn number(&mut self) -> Result<usize> {
        self.take_while(|it| it.is_ascii_digit()).parse().map_err(|_| self.wanted("a number"))
    }

    /// A text in quotation marks, as `{:?}` prints it.
    ///
    /// # Errors
    /// If none stands here, or it does not end.
    pub fn quoted(&mut self) -> Result<String> {
        let mut chars = self.rest.char_indices();
        if chars.next().is_none_or(|(_, it)| it != '"') {
            return Err(self.wanted("a text in quotation marks"));
        }
        let mut text = String::new();
        while let Some((at, it)) = chars.next() {
            match it {
                '"' => {
                    self.rest = self.rest[at + 1..].trim_start();
                    return Ok(text);
                }
                '\\' => match chars.next() {
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, 't')) => text.push('\t'),
                    Some((_, it)) => text.push(it),
                    None => break,
                },
                it => text.push(it),
            }
        }
        Err(self.wanted("a closing quotation mark"))
    }

    /// Things with commas between, up to a closing text, which is stepped over.
    ///
    /// # Errors
    /// If one of them does not stand here, or neither a comma nor the end.
    pub fn list<T>(
        &mut self,
        end: &str,
        mut one: impl FnMut(&mut Cursor<'t>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut all = Vec::new();
        while !self.take(end) {
            if !all.is_empty() {
                self.expect(",")?;
                if self.take(end) {
                    break;
                }
            }
            all.push(one(self)?);
        }
        Ok(all)
    }

    /// The complaint that something else was wanted here.
    pub fn wanted(&self, what: &str) -> Error {
        let found = if self.is_at_end() {
            "the end of the line".to_string()
        } else {
            format!("`{}`", self.rest)
        };
        Error::new(
            ErrorKind::Format,
            format!("line {} of the graph: expected {what}, found {found}", self.line),
        )
        .with_help("graph text is what `println!(\"{graph:#}\")` prints")
    }

    /// A complaint about this line.
    pub fn complaint(&self, what: &str) -> Error {
        Error::new(ErrorKind::Format, format!("line {} of the graph: {what}", self.line))
            .with_help("graph text is what `println!(\"{graph:#}\")` prints")
    }
}
