//! The properties of Unicode that ECMA-262 knows, by the names that it takes for them: as they are spelled in
//! the standard, other than in Rust, where case, spaces, `_` and `-` do not matter.

/// The general categories of Unicode, as `\p{...}` names them.
pub(in crate::frontend) const CATEGORIES: &str = "\
    C|Other|Cc|Control|cntrl|Cf|Format|Cn|Unassigned|Co|Private_Use|Cs|Surrogate\
    |L|Letter|LC|Cased_Letter|Ll|Lowercase_Letter|Lm|Modifier_Letter|Lo|Other_Letter|Lt|Titlecase_Letter\
    |Lu|Uppercase_Letter|M|Mark|Combining_Mark|Mc|Spacing_Mark|Me|Enclosing_Mark|Mn|Nonspacing_Mark\
    |N|Number|Nd|Decimal_Number|digit|Nl|Letter_Number|No|Other_Number\
    |P|Punctuation|punct|Pc|Connector_Punctuation|Pd|Dash_Punctuation|Pe|Close_Punctuation\
    |Pf|Final_Punctuation|Pi|Initial_Punctuation|Po|Other_Punctuation|Ps|Open_Punctuation\
    |S|Symbol|Sc|Currency_Symbol|Sk|Modifier_Symbol|Sm|Math_Symbol|So|Other_Symbol\
    |Z|Separator|Zl|Line_Separator|Zp|Paragraph_Separator|Zs|Space_Separator";

/// The properties that a character has or has not, as `\p{...}` names them.
pub(in crate::frontend) const BINARY_PROPERTIES: &str = "\
    ASCII|ASCII_Hex_Digit|AHex|Alphabetic|Alpha|Any|Assigned|Bidi_Control|Bidi_C\
    |Bidi_Mirrored|Bidi_M|Case_Ignorable|CI|Cased|Changes_When_Casefolded|CWCF|Changes_When_Casemapped|CWCM\
    |Changes_When_Lowercased|CWL|Changes_When_NFKC_Casefolded|CWKCF|Changes_When_Titlecased|CWT\
    |Changes_When_Uppercased|CWU|Dash|Default_Ignorable_Code_Point|DI|Deprecated|Dep|Diacritic|Dia\
    |Emoji|Emoji_Component|EComp|Emoji_Modifier|EMod|Emoji_Modifier_Base|EBase|Emoji_Presentation|EPres\
    |Extended_Pictographic|ExtPict|Extender|Ext|Grapheme_Base|Gr_Base|Grapheme_Extend|Gr_Ext|Hex_Digit|Hex\
    |IDS_Binary_Operator|IDSB|IDS_Trinary_Operator|IDST|ID_Continue|IDC|ID_Start|IDS|Ideographic|Ideo\
    |Join_Control|Join_C|Logical_Order_Exception|LOE|Lowercase|Lower|Math|Noncharacter_Code_Point|NChar\
    |Pattern_Syntax|Pat_Syn|Pattern_White_Space|Pat_WS|Quotation_Mark|QMark|Radical|Regional_Indicator|RI\
    |Sentence_Terminal|STerm|Soft_Dotted|SD|Terminal_Punctuation|Term|Unified_Ideograph|UIdeo|Uppercase|Upper\
    |Variation_Selector|VS|White_Space|space|XID_Continue|XIDC|XID_Start|XIDS";

/// The scripts of Unicode by their long names; the short ones have four letters each.
const SCRIPTS: &str = "\
    Adlam|Ahom|Anatolian_Hieroglyphs|Arabic|Armenian|Avestan|Balinese|Bamum|Bassa_Vah|Batak|Bengali|\
    Bhaiksuki|Bopomofo|Brahmi|Braille|Buginese|Buhid|Canadian_Aboriginal|Carian|Caucasian_Albanian|\
    Chakma|Cham|Cherokee|Chorasmian|Common|Coptic|Cuneiform|Cypriot|Cypro_Minoan|Cyrillic|Deseret|\
    Devanagari|Dives_Akuru|Dogra|Duployan|Egyptian_Hieroglyphs|Elbasan|Elymaic|Ethiopic|Garay|Georgian|\
    Glagolitic|Gothic|Grantha|Greek|Gujarati|Gunjala_Gondi|Gurmukhi|Gurung_Khema|Han|Hangul|\
    Hanifi_Rohingya|Hanunoo|Hatran|Hebrew|Hiragana|Imperial_Aramaic|Inherited|Inscriptional_Pahlavi|\
    Inscriptional_Parthian|Javanese|Kaithi|Kannada|Katakana|Kawi|Kayah_Li|Kharoshthi|\
    Khitan_Small_Script|Khmer|Khojki|Khudawadi|Kirat_Rai|Lao|Latin|Lepcha|Limbu|Linear_A|Linear_B|Lisu|\
    Lycian|Lydian|Mahajani|Makasar|Malayalam|Mandaic|Manichaean|Marchen|Masaram_Gondi|Medefaidrin|\
    Meetei_Mayek|Mende_Kikakui|Meroitic_Cursive|Meroitic_Hieroglyphs|Miao|Modi|Mongolian|Mro|Multani|\
    Myanmar|Nabataean|Nag_Mundari|Nandinagari|New_Tai_Lue|Newa|Nko|Nushu|Nyiakeng_Puachue_Hmong|Ogham|\
    Ol_Chiki|Ol_Onal|Old_Hungarian|Old_Italic|Old_North_Arabian|Old_Permic|Old_Persian|Old_Sogdian|\
    Old_South_Arabian|Old_Turkic|Old_Uyghur|Oriya|Osage|Osmanya|Pahawh_Hmong|Palmyrene|Pau_Cin_Hau|\
    Phags_Pa|Phoenician|Psalter_Pahlavi|Rejang|Runic|Samaritan|Saurashtra|Sharada|Shavian|Siddham|\
    SignWriting|Sinhala|Sogdian|Sora_Sompeng|Soyombo|Sundanese|Sunuwar|Syloti_Nagri|Syriac|Tagalog|\
    Tagbanwa|Tai_Le|Tai_Tham|Tai_Viet|Takri|Tamil|Tangsa|Tangut|Telugu|Thaana|Thai|Tibetan|Tifinagh|\
    Tirhuta|Todhri|Toto|Tulu_Tigalari|Ugaritic|Unknown|Vai|Vithkuqi|Wancho|Warang_Citi|Yezidi|Yi|\
    Zanabazar_Square";

/// What stands last in a property of ECMA-262 that is written as in `\p{Lu}` or `\P{Script=Greek}`, or `None`
/// where it has no such property. A short name of a script may be that of none.
pub(super) fn known_name(escape: &str) -> Option<&str> {
    let braces = escape.strip_prefix("\\p").or_else(|| escape.strip_prefix("\\P"))?;
    let name = braces.strip_prefix('{')?.strip_suffix('}')?;
    let (name, is_known) = match name.split_once('=') {
        None => (name, is_listed(CATEGORIES, name) || is_listed(BINARY_PROPERTIES, name)),
        Some(("General_Category" | "gc", category)) => (category, is_listed(CATEGORIES, category)),
        Some(("Script" | "sc" | "Script_Extensions" | "scx", script)) => {
            (script, is_listed(SCRIPTS, script) || is_short_script(script))
        }
        Some(_) => return None,
    };
    is_known.then_some(name)
}

fn is_listed(names: &str, name: &str) -> bool {
    names.split('|').any(|known| known == name)
}

/// Whether a name is spelled as the short name of a script, such as `Grek`.
fn is_short_script(name: &str) -> bool {
    let mut letters = name.bytes();
    name.len() == 4
        && letters.next().is_some_and(|first| first.is_ascii_uppercase())
        && letters.all(|letter| letter.is_ascii_lowercase())
}
