//! The steps that are known of one configuration, by byte.

use smallvec::SmallVec;

use super::ConfigurationId;
use crate::byte_set::ByteSet;

/// What is alive after a byte, in one word: nothing, or a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct StepCode(u32);

impl StepCode {
    const UNKNOWN: Self = Self(0);
    const DEAD: Self = Self(1);

    fn to(next: Option<ConfigurationId>) -> Self {
        next.map_or(Self::DEAD, |id| Self(id.0 + 2))
    }

    fn decode(self) -> Option<ConfigurationId> {
        self.0.checked_sub(2).map(ConfigurationId)
    }
}

/// The steps known of one configuration.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownSteps {
    /// As long as they are few.
    few: SmallVec<[(u8, StepCode); 2]>,
    row: Option<Box<[StepCode; 256]>>,
    /// The bytes of all of them.
    bytes: ByteSet,
}

impl KnownSteps {
    /// With more steps than this, a row takes their place.
    const FEW: usize = 6;
    /// The memory that a row takes, in bytes.
    pub(super) const ROW_BYTES: usize = size_of::<[StepCode; 256]>();

    /// The bytes over which steps are known.
    pub(super) fn bytes(&self) -> &ByteSet {
        &self.bytes
    }

    /// What is alive after a byte, where that is known.
    #[inline]
    pub(super) fn get(&self, byte: u8) -> Option<Option<ConfigurationId>> {
        let step = match &self.row {
            Some(row) => row[usize::from(byte)],
            None => self.few.iter().find(|(of, _)| *of == byte).map_or(StepCode::UNKNOWN, |&(_, step)| step),
        };
        (step != StepCode::UNKNOWN).then(|| step.decode())
    }

    /// Whether a byte is known to lead to a configuration.
    pub(super) fn lead_to(&self, id: ConfigurationId) -> bool {
        let step = StepCode::to(Some(id));
        match &self.row {
            Some(row) => row.contains(&step),
            None => self.few.iter().any(|&(_, other)| other == step),
        }
    }

    /// Adds a step. Returns whether that took a row.
    pub(super) fn learn(&mut self, byte: u8, next: Option<ConfigurationId>) -> bool {
        let takes_row = self.row.is_none() && self.few.len() == Self::FEW;
        if takes_row {
            let mut row = Box::new([StepCode::UNKNOWN; 256]);
            self.few.drain(..).for_each(|(byte, step)| row[usize::from(byte)] = step);
            self.row = Some(row);
        }
        match &mut self.row {
            Some(row) => row[usize::from(byte)] = StepCode::to(next),
            None => self.few.push((byte, StepCode::to(next))),
        }
        self.bytes.insert(byte);
        takes_row
    }
}
