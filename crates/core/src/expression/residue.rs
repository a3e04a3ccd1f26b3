use super::ByteSet;
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Residue { modulus: u64 }
impl Residue {
    pub(crate) fn step(self, _byte: u8) -> Option<Self> { None }
    pub(crate) fn is_nullable(self) -> bool { self.modulus == 0 }
    pub(crate) fn next_bytes(self) -> ByteSet { ByteSet::EMPTY }
}
