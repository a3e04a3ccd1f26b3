//! What a goal says: its cases, and of these the leaves or the plan.

use super::super::array::ArrayPlan;
use super::super::condition::{Condition, GoalId, Kind};
use super::super::object::ObjectPlan;
use super::super::open_choices::{Fact, Literal, OpenChoices};
use super::super::options::PropertyOrder;
use super::super::tables::Case;
use super::super::writer::Writer;
use super::{Other, Tag, describe_constant, describe_number};
use crate::error::Result;
use crate::expression::{Description, Part};

/// How many goals the choices of one plan are multiplied out to at most.
const MOST_CHOICES: usize = 1 << 12;

impl Writer<'_> {
    /// Adds what a goal says of values of some kinds. Where it says nothing of others, that is what it says.
    pub(super) fn describe_goal(
        &mut self,
        goal: GoalId,
        kinds: &[Kind],
        out: &mut Description,
    ) -> Result<()> {
        out.byte(Tag::Goal as u8);
        out.is_unordered = true;
        for &kind in kinds {
            for case in self.solver.cases(goal, kind)?.iter() {
                out.part(Other::Case(kind, self.places.case(case)).part(self.leaf));
            }
        }
        Ok(())
    }

    pub(super) fn describe_case(&mut self, kind: Kind, case: u32, out: &mut Description) -> Result<bool> {
        let case = Case::clone(self.places.case_of(case));
        // What compares arrays or objects has no content.
        if matches!(kind, Kind::Array | Kind::Object) && !self.solver.excluded(&case, kind).are_none() {
            return Ok(false);
        }
        match kind {
            Kind::Null => out.byte(Tag::Null as u8),
            Kind::Boolean => {
                out.byte(Tag::Boolean as u8);
                let values = self.solver.booleans(&case);
                out.flag(values.contains(&false));
                out.flag(values.contains(&true));
            }
            Kind::Number => self.describe_leaves(Tag::Number, kind, &case, out),
            Kind::String => self.describe_leaves(Tag::String, kind, &case, out),
            Kind::Array => {
                let plan = self.solver.array_plan(&case)?;
                return self.describe_array(&plan, out);
            }
            Kind::Object => {
                let plan = self.solver.object_plan(&case)?;
                return self.describe_object(&plan, out);
            }
        }
        Ok(true)
    }

    /// Adds the leaves of a case about strings or numbers, in an order of their own.
    pub(super) fn describe_leaves(
        &mut self,
        tag: Tag,
        kind: Kind,
        case: &[Condition],
        out: &mut Description,
    ) {
        out.byte(tag as u8);
        out.is_unordered = true;
        let mut labels: Vec<Vec<u8>> = Vec::with_capacity(case.len());
        for &leaf in case {
            if let Condition::Language { language, .. } = leaf {
                out.part(Part::Expression(language));
                continue;
            }
            let mut label = Description::default();
            self.describe_leaf(leaf, kind, &mut label);
            labels.push(label.labels);
        }
        labels.sort_unstable();
        out.number(labels.len() as u64);
        labels.iter().for_each(|label| out.text(label));
    }

    pub(super) fn describe_leaf(&self, leaf: Condition, kind: Kind, out: &mut Description) {
        let terms = &self.solver.tables.terms;
        match leaf {
            Condition::OneOf { constants, holds } => {
                out.byte(0);
                out.flag(holds);
                let constants = kind.among(terms.constants(constants));
                constants.iter().for_each(|constant| describe_constant(constant, out));
            }
            Condition::Integer { holds } => {
                out.byte(1);
                out.flag(holds);
            }
            Condition::Whole { holds } => {
                out.byte(2);
                out.flag(holds);
            }
            Condition::Minimum { bound, exclusive } => {
                out.byte(3);
                out.flag(exclusive);
                describe_number(terms.decimal(bound), out);
            }
            Condition::Maximum { bound, exclusive } => {
                out.byte(4);
                out.flag(exclusive);
                describe_number(terms.decimal(bound), out);
            }
            Condition::MultipleOf { number, holds } => {
                out.byte(5);
                out.flag(holds);
                describe_number(terms.decimal(number), out);
            }
            Condition::MinimumLength(length) => {
                out.byte(6);
                out.number(length);
            }
            Condition::MaximumLength(length) => {
                out.byte(7);
                out.number(length);
            }
            Condition::Pattern { pattern, holds } => {
                let pattern = &self.solver.schemas.patterns[pattern.0 as usize].text;
                describe_pattern(pattern, holds, out);
            }
            Condition::Format { format, holds } => {
                let name = terms.format_name(format);
                match self.solver.options.formats.get(name) {
                    // One of the caller's own is nothing but its pattern.
                    Some(pattern) => describe_pattern(pattern, holds, out),
                    None => {
                        out.byte(9);
                        out.flag(holds);
                        out.text(name.as_bytes());
                    }
                }
            }
            // Leaves about other kinds say nothing of this one.
            _ => {}
        }
    }

    pub(super) fn describe_object(&mut self, plan: &ObjectPlan, out: &mut Description) -> Result<bool> {
        // Which names are required is said with each of them.
        let ObjectPlan {
            number: _,
            names,
            by_content: _,
            declared,
            known: _,
            required: _,
            dependencies,
            choices,
            others,
            witnesses,
            minimum,
            maximum,
        } = plan;
        let members = names.iter().map(|named| named.witnesses);
        let members = members.chain(others.iter().map(|class| class.witnesses));
        if members.map(|witnesses| 1usize << witnesses.count_ones()).sum::<usize>() > MOST_CHOICES {
            return Ok(false);
        }
        out.byte(Tag::Object as u8);
        out.number(*minimum);
        out.number(*maximum);
        out.byte(witnesses.len() as u8);
        out.number(names.len() as u64);
        out.number(u64::from(*declared));
        if *declared > 0 {
            out.flag(self.solver.options.order == PropertyOrder::Declared);
        }
        for named in names {
            out.text(self.solver.tables.terms.content(named.name));
            out.flag(named.required);
            self.describe_witness(plan, named.goal, named.witnesses, out);
        }
        out.number(dependencies.of.len() as u64);
        for (name, needed) in &dependencies.of {
            out.number(u64::from(*name));
            out.number(needed.len() as u64);
            needed.iter().for_each(|&needed| out.number(u64::from(needed)));
        }
        self.describe_choices(choices, out);
        out.number(others.len() as u64);
        for class in others {
            out.number(u64::from(class.count));
            out.flag(class.is_endless);
            out.part(Part::Expression(class.content));
            self.describe_witness(plan, class.goal, class.witnesses, out);
        }
        Ok(true)
    }

    /// Adds the ways in which choices can be made.
    fn describe_choices(&mut self, choices: &OpenChoices, out: &mut Description) {
        // How they are grouped follows from them.
        let OpenChoices { choices, facts, groups: _, group_of: _ } = choices;
        out.number(facts.len() as u64);
        for Fact { at, told } in facts {
            out.number(u64::from(*at));
            told.iter().for_each(|&goal| out.part(Other::Goal(goal).part(self.leaf)));
        }
        out.number(choices.len() as u64);
        for ways in choices {
            out.number(ways.len() as u64);
            for way in ways {
                out.number(way.len() as u64);
                for literal in way {
                    let (tag, number) = match *literal {
                        Literal::Present(at) => (0, at),
                        Literal::Absent(at) => (1, at),
                        Literal::Holds { fact, holds, .. } => (2 + u8::from(holds), fact.0),
                    };
                    out.byte(tag);
                    out.number(u64::from(number));
                }
            }
        }
    }

    /// Adds the goals that a member can have: its own, with those of each choice of the witnesses that it may be.
    pub(super) fn describe_witness(
        &mut self,
        plan: &ObjectPlan,
        goal: GoalId,
        witnesses: u8,
        out: &mut Description,
    ) {
        out.byte(witnesses);
        for met in (0..=witnesses).filter(|met| met & witnesses == *met) {
            let bits = (0..plan.witnesses.len()).filter(|bit| met >> bit & 1 == 1);
            let goals: Vec<GoalId> = bits.map(|bit| plan.witnesses[bit]).chain([goal]).collect();
            out.part(Other::Goal(self.solver.tables.terms.all_of(&goals)).part(self.leaf));
        }
    }

    pub(super) fn describe_array(&mut self, plan: &ArrayPlan, out: &mut Description) -> Result<bool> {
        let ArrayPlan { prefix, rest, counts, minimum, maximum, unique, repeats, horizon, .. } = plan;
        let from = counts.iter().map(|counted| counted.from as usize).max().unwrap_or(0);
        let indices = prefix.len().max(from) + 1;
        let choices = 3usize.checked_pow(counts.len() as u32).unwrap_or(usize::MAX);
        if !counts.is_empty() && indices.saturating_mul(choices) > MOST_CHOICES {
            return Ok(false);
        }
        out.byte(Tag::Array as u8);
        out.number(*minimum);
        out.number(*maximum);
        out.flag(*unique);
        out.flag(*repeats);
        out.number(u64::from(*horizon));
        out.number(counts.len() as u64);
        for counted in counts {
            out.number(u64::from(counted.from));
            out.number(u64::from(counted.minimum));
            out.flag(counted.maximum.is_some());
            out.number(counted.maximum.map_or(u64::from(counted.uncounted.is_some()), u64::from));
        }
        out.number(prefix.len() as u64);
        for index in 0..indices {
            let goal = prefix.get(index).copied().unwrap_or(*rest);
            let mut goals = vec![vec![goal]];
            for counted in counts.iter().filter(|counted| index >= counted.from as usize) {
                let choices = [Some(counted.goal), counted.uncounted];
                let with = |goals: &Vec<GoalId>, choice| goals.iter().copied().chain([choice]).collect();
                let more: Vec<Vec<GoalId>> = choices
                    .into_iter()
                    .flatten()
                    .flat_map(|choice| goals.iter().map(move |goals| with(goals, choice)))
                    .collect();
                goals.extend(more);
            }
            for goals in goals {
                let goal = self.solver.tables.terms.all_of(&goals);
                if (*unique || *repeats) && !self.is_scalar(goal)? {
                    return Ok(false);
                }
                out.part(Other::Goal(goal).part(self.leaf));
            }
        }
        Ok(true)
    }

    /// Whether only scalars satisfy a goal.
    pub(super) fn is_scalar(&mut self, goal: GoalId) -> Result<bool> {
        Ok(self.solver.cases(goal, Kind::Array)?.is_empty()
            && self.solver.cases(goal, Kind::Object)?.is_empty())
    }
}

fn describe_pattern(pattern: &str, holds: bool, out: &mut Description) {
    out.byte(8);
    out.flag(holds);
    out.text(pattern.as_bytes());
}
