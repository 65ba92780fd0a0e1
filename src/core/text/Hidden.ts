// Hidden: the characters that a text can hold without anybody seeing them, or that a terminal acts on.
// No other module lists them. Before a text leaves the program, this module escapes or removes them.

// Control characters, line and paragraph separators, interlinear annotations, halves of characters, and what Unicode
// calls default-ignorable: zero-width and direction controls, soft hyphen, word joiner, invisible operators, Hangul
// fillers, variation selectors, tag characters, the byte order mark.
const unseen = String.raw`[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]|\p{Surrogate}`

// A few of them belong to the visible text around them and stay, one at a time. Anywhere else, and in runs, they could
// carry what nobody sees. Joiners: scripts such as Persian and Hindi need one between letters, and emoji of several
// parts. No Latin text needs one, so none stays before a Latin letter.
const letter = String.raw`(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{M}\p{Emoji_Modifier}]`
const emoji = String.raw`\p{Extended_Pictographic}\ufe0f?`
const notLatin = String.raw`(?![\p{Script=Latin}\p{Script=Inherited}\p{Default_Ignorable_Code_Point}])`
const joined = `(?:${letter}|${emoji})[\\u200c\\u200d](?=${notLatin}[\\p{L}\\p{M}\\p{Extended_Pictographic}])`
// Selectors: a sign as emoji or as text, and a keycap.
const selected = String.raw`\p{Extended_Pictographic}[\ufe0e\ufe0f]|[0-9#*]\ufe0f(?=\u20e3)`
const hidden = `(?:${unseen})(?<!${joined}|${selected})`

// Printable ASCII hides nothing. The pattern above is compiled only for other text, because that takes 5 ms. V8 keeps
// the compiled pattern.
const plain = /^[\x20-\x7e]*$/

/** The text with every hidden character replaced by what `by` makes of it. */
export const replaceHidden = (text: string, by: (character: string) => string): string =>
  plain.test(text) ? text : text.replace(new RegExp(hidden, "gu"), by)

/** Whether a text holds a hidden character. */
export const hasHidden = (text: string): boolean => !plain.test(text) && text.search(new RegExp(hidden, "u")) >= 0

// Bounded, and none reaches beyond its line, so that a sequence that is cut off or never ends hides no text after it.
const sequences =
  /\u001b(?:\[[0-?]{0,40}[ -/]{0,4}[@-~]|[\]P^_X][^\u0007\u001b\n]{0,200}(?:\u0007|\u001b\\)|[ -/]{0,4}[0-~])/g

/** The text without its terminal sequences, each taken out whole, and without its hidden characters but those kept. */
export const withoutHidden = (text: string, kept = ""): string =>
  replaceHidden(text.replace(sequences, ""), (character) => kept.includes(character) ? character : "")
