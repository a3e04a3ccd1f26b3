//! The form of a node: what is hashed, written so that different nodes have different forms.
//!
//! A form is a byte for its kind, the length of the label in 64 bits and the label, and for each part whether it is
//! inside of the component and its hash. That of a component holds the forms of its classes, each behind its
//! length; that of a member the hash of its component and the number of its class.

use smallvec::SmallVec;

use crate::expression::ContentHash;

/// A part of a node of a component.
#[derive(Clone, Copy)]
pub(super) enum Child {
    Outside(ContentHash),
    /// The place of a node in the component.
    Inside(usize),
}

/// What a form begins with.
const ORDERED: u8 = 0;
const UNORDERED: u8 = 1;
pub(super) const COMPONENT: u8 = 2;
pub(super) const MEMBER: u8 = 3;

/// The labels of the nodes of a form. Whatever the bytes are, it ends.
pub(crate) fn labels_of(form: &[u8]) -> Vec<&[u8]> {
    let mut labels = Vec::new();
    let mut waiting = vec![form];
    while let Some((&kind, mut rest)) = waiting.pop().and_then(<[u8]>::split_first) {
        while let Some((length, behind)) = rest.split_first_chunk() {
            let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
            let Some((inner, behind)) = behind.split_at_checked(length) else { break };
            match kind {
                ORDERED | UNORDERED => labels.push(inner),
                COMPONENT => waiting.push(inner),
                _ => {}
            }
            rest = match kind {
                COMPONENT => behind,
                _ => &[],
            };
        }
    }
    labels
}

/// Adds the form of a node, with its parts inside of the component by their colours.
pub(super) fn write_node(
    form: &mut Vec<u8>,
    label: &[u8],
    children: &[Child],
    is_unordered: bool,
    colour: impl Fn(usize) -> u128,
) {
    form.push(if is_unordered { UNORDERED } else { ORDERED });
    form.extend_from_slice(&(label.len() as u64).to_le_bytes());
    form.extend_from_slice(label);
    let key = |child: &Child| match *child {
        Child::Outside(hash) => (0u8, hash.0),
        Child::Inside(at) => (1u8, colour(at)),
    };
    let mut keys: SmallVec<[(u8, u128); 8]> = children.iter().map(key).collect();
    if is_unordered {
        keys.sort_unstable();
    }
    for (place, hash) in keys {
        form.push(place);
        form.extend_from_slice(&hash.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_form_whatever_keeps_the_search_for_labels_busy() {
        assert!(labels_of(&[]).is_empty() && labels_of(&[0, 1]).is_empty());
        // Nodes and components whose lengths lie.
        for kind in 0..=4u8 {
            for length in [0, 1, 8, u64::MAX] {
                let form: Vec<u8> = [kind].into_iter().chain(length.to_le_bytes()).chain([2; 60]).collect();
                assert!(labels_of(&form).len() <= form.len());
            }
        }
        // A component in a component, and so on.
        let nested = (0..1000).fold(Vec::new(), |inner: Vec<u8>, _| {
            [2].into_iter().chain((inner.len() as u64).to_le_bytes()).chain(inner).collect()
        });
        assert!(labels_of(&nested).is_empty());
    }
}
