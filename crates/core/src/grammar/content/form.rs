//! The form of a node: what is hashed, written so that different nodes have different forms.
//!
//! A form is a byte for its kind, the length of the label in 64 bits and the label, and for each part whether it is
//! inside of the component and its hash. That of a component holds the forms of its classes, each behind its
//! length; that of a member the hash of its component and the number of its class.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use smallvec::SmallVec;

use crate::expression::{ContentHash, ContentRegistry, SKETCH_TAG};

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
const MEMBER: u8 = 3;

/// What a part begins with.
const OUTSIDE: u8 = 0;
const INSIDE: u8 = 1;

/// The labels of the nodes of a form. Whatever the bytes are, it ends.
pub(crate) fn labels_of(form: &[u8]) -> Vec<&[u8]> {
    nodes_of(form).into_iter().map(|(label, _)| label).collect()
}

/// The forms that some contents stand for, those of their parts, and those of all members of components among these, by
/// their hashes, ascending: what is found by one of the contents needs no others.
pub(crate) fn forms_behind(
    registry: &ContentRegistry,
    contents: impl Iterator<Item = ContentHash>,
) -> Vec<(ContentHash, Box<[u8]>)> {
    let mut forms = BTreeMap::new();
    let mut waiting: Vec<ContentHash> = contents.collect();
    while let Some(hash) = waiting.pop() {
        if let Entry::Vacant(place) = forms.entry(hash)
            && let Some(form) = registry.form(hash)
        {
            waiting.extend(parts_of(&form));
            if form.first() == Some(&COMPONENT) {
                let members = (0..nodes_of(&form).len() as u64).map(|class| member_form(hash, class));
                waiting.extend(members.filter_map(|member| registry.find(&member).ok().flatten()));
            }
            place.insert(form);
        }
    }
    forms.into_iter().collect()
}

/// The hashes of the forms that a form refers to: without them it says nothing. Whatever the bytes are, it ends.
fn parts_of(form: &[u8]) -> Vec<ContentHash> {
    let hash = |bytes: &[u8]| bytes.first_chunk().map(|hash| ContentHash(u128::from_le_bytes(*hash)));
    if let [MEMBER, rest @ ..] = form {
        return hash(rest).into_iter().collect();
    }
    let parts = nodes_of(form).into_iter().flat_map(|(_, parts)| parts.chunks_exact(1 + size_of::<u128>()));
    parts.filter(|part| part[0] == OUTSIDE).filter_map(|part| hash(&part[1..])).collect()
}

/// The nodes of a form: their labels, and what tells their parts.
fn nodes_of(form: &[u8]) -> Vec<(&[u8], &[u8])> {
    let mut nodes = Vec::new();
    let mut waiting = vec![form];
    while let Some((&kind, mut rest)) = waiting.pop().and_then(<[u8]>::split_first) {
        while let Some((length, behind)) = rest.split_first_chunk() {
            let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
            let Some((inner, behind)) = behind.split_at_checked(length) else { break };
            match kind {
                ORDERED | UNORDERED => nodes.push((inner, behind)),
                COMPONENT => waiting.push(inner),
                _ => {}
            }
            rest = match kind {
                COMPONENT => behind,
                _ => &[],
            };
        }
    }
    nodes
}

/// Begins the form of an expression that is written out as a whole, with room for so many bytes: that of a node without parts.
pub(crate) fn begin_sketch(room: usize) -> Vec<u8> {
    let mut form = Vec::with_capacity(room + 32);
    write_label(&mut form, &[SKETCH_TAG], false);
    form
}

/// The form, when all is written.
pub(crate) fn end_sketch(mut form: Vec<u8>) -> Vec<u8> {
    let (kind, length) = (size_of_val(&ORDERED), size_of::<u64>());
    let written = (form.len() - kind - length) as u64;
    form[kind..kind + length].copy_from_slice(&written.to_le_bytes());
    form
}

/// The form of a member of a component, by the number of its class.
pub(super) fn member_form(component: ContentHash, class: u64) -> Vec<u8> {
    [&[MEMBER][..], &component.0.to_le_bytes(), &class.to_le_bytes()].concat()
}

/// Adds the form of a node of which all parts are outside of its component, by their hashes; sorts them where their order
/// does not matter. It is what [`write_node`] makes of such a node.
pub(super) fn write_node_alone(
    form: &mut Vec<u8>,
    label: &[u8],
    parts: &mut [ContentHash],
    is_unordered: bool,
) {
    if is_unordered {
        parts.sort_unstable();
    }
    write_label(form, label, is_unordered);
    for part in parts {
        form.push(OUTSIDE);
        form.extend_from_slice(&part.0.to_le_bytes());
    }
}

fn write_label(form: &mut Vec<u8>, label: &[u8], is_unordered: bool) {
    form.push(if is_unordered { UNORDERED } else { ORDERED });
    form.extend_from_slice(&(label.len() as u64).to_le_bytes());
    form.extend_from_slice(label);
}

/// Adds the form of a node, with its parts inside of the component by their colours.
pub(super) fn write_node(
    form: &mut Vec<u8>,
    label: &[u8],
    children: &[Child],
    is_unordered: bool,
    colour: impl Fn(usize) -> u128,
) {
    write_label(form, label, is_unordered);
    let key = |child: &Child| match *child {
        Child::Outside(hash) => (OUTSIDE, hash.0),
        Child::Inside(at) => (INSIDE, colour(at)),
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
                assert!(parts_of(&form).len() <= form.len());
            }
        }
        // A component in a component, and so on.
        let nested = (0..1000).fold(Vec::new(), |inner: Vec<u8>, _| {
            [2].into_iter().chain((inner.len() as u64).to_le_bytes()).chain(inner).collect()
        });
        assert!(labels_of(&nested).is_empty());
    }

    #[test]
    fn a_node_that_is_alone_has_one_form_however_it_is_written() {
        let parts = [3, 1, 2, 1].map(ContentHash);
        for (count, is_unordered) in (0..=parts.len()).flat_map(|count| [(count, false), (count, true)]) {
            let (mut alone, mut copy) = (Vec::new(), parts);
            write_node_alone(&mut alone, b"label", &mut copy[..count], is_unordered);
            let children: Vec<Child> = parts[..count].iter().copied().map(Child::Outside).collect();
            let mut node = Vec::new();
            write_node(&mut node, b"label", &children, is_unordered, |at| at as u128);
            assert_eq!(alone, node, "{count} {is_unordered}");
        }
    }

    #[test]
    fn parts_outside_are_told() {
        let hashes = [3, 1, 2].map(ContentHash);
        let children = [Child::Outside(hashes[0]), Child::Inside(7), Child::Outside(hashes[1])];
        let mut node = Vec::new();
        write_node(&mut node, b"label", &children, false, |at| at as u128);
        assert_eq!((labels_of(&node), parts_of(&node)), (vec![&b"label"[..]], hashes[..2].to_vec()));
        let mut other = Vec::new();
        write_node(&mut other, b"", &[Child::Outside(hashes[2])], true, |at| at as u128);
        let class = |node: &[u8]| [&(node.len() as u64).to_le_bytes(), node].concat();
        let component = [&[COMPONENT][..], &class(&node), &class(&other)].concat();
        let mut parts = parts_of(&component);
        parts.sort_unstable();
        assert_eq!(parts, [1, 2, 3].map(ContentHash));
        assert_eq!(parts_of(&member_form(hashes[0], 5)), [hashes[0]]);
    }
}
