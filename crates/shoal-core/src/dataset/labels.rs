/// Many short texts in one piece of memory, numbered from 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    text: String,
    ends: Vec<usize>,
}

impl Labels {
    /// No labels yet.
    pub fn new() -> Self {
        Labels::default()
    }

    /// Adds a label and returns its number.
    pub fn push(&mut self, label: &str) -> u32 {
        let code = self.ends.len() as u32;
        self.text.push_str(label);
        self.ends.push(self.text.len());
        code
    }

    /// The label with this number.
    pub fn get(&self, code: u32) -> &str {
        let code = code as usize;
        let start = if code == 0 { 0 } else { self.ends[code - 1] };
        &self.text[start..self.ends[code]]
    }

    /// How many labels there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// All labels in order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len() as u32).map(|code| self.get(code))
    }
}

impl<S: AsRef<str>> FromIterator<S> for Labels {
    fn from_iter<I: IntoIterator<Item = S>>(labels: I) -> Self {
        let mut all = Labels::new();
        for label in labels {
            all.push(label.as_ref());
        }
        all
    }
}
