// Prompt: fills the holes of a prompt that lies here as Markdown.
//
// A prompt is a file `<name>.md`. `texts.ts` holds the same texts for the program and for the library; it is generated,
// and a test compares the two (UPDATE_GOLDEN=1 writes it). The notation is a small part of Mustache:
// - `{{name}}` is a hole. Its value is never read as part of the prompt: holes in it stay as they are.
// - `{{#name}}` ... `{{/name}}` is kept only if the value is not empty, `{{^name}}` ... `{{/name}}` only if it is.
// - `{{>file}}` is the text of another prompt.
// An empty hole on a line of its own leaves no blank line behind.
import { texts } from "./texts.ts"

type Texts = typeof texts

/** The name of a prompt, which is the name of its file. */
export type PromptName = keyof Texts

type NameIn<Tag extends string> = Tag extends `>${infer File extends PromptName}` ? HolesIn<Texts[File]>
  : Tag extends `/${string}` ? never
  : Tag extends `#${infer Name}` | `^${infer Name}` ? Name
  : Tag

type HolesIn<Text extends string> = Text extends `${string}{{${infer Tag}}}${infer Rest}` ? NameIn<Tag> | HolesIn<Rest>
  : never

/** The value of each hole of a prompt. What untrusted people wrote must be fenced or on one line already. */
export type Holes<Name extends PromptName> = Readonly<Record<HolesIn<Texts[Name]>, string>>

const isName = (name: string): name is PromptName => Object.hasOwn(texts, name)

const included = (text: string): string =>
  text.replace(/\{\{>([\w-]+)\}\}/g, (_, name: string) => isName(name) ? included(texts[name]) : "")

const section = /\{\{([#^])(\w+)\}\}([^]*?)\{\{\/\2\}\}/g

/** A prompt with its holes filled, without a blank line at its end. */
export const render = <Name extends PromptName>(name: Name, holes: Holes<Name>): string => {
  const values: Readonly<Record<string, string>> = holes
  const valueOf = (hole: string): string => values[hole] ?? ""
  const chosen = (text: string): string =>
    text.replace(
      section,
      (_, sign: string, hole: string, inside: string) => (valueOf(hole) === "") === (sign === "^") ? chosen(inside) : ""
    )
  return chosen(included(texts[name]))
    .replace(/^\{\{(\w+)\}\}$/gm, (whole, hole: string) => valueOf(hole) === "" ? "" : whole)
    .replace(/\n{3,}/g, "\n\n")
    .trim()
    .replace(/\{\{(\w+)\}\}/g, (_, hole: string) => valueOf(hole))
}
