// Words: how times, places and identities are written for people.
// The one rule: nothing here can hold a line break or a control character, whatever a log says.
import type { Identity } from "../core/run/Identity.ts"
import { oneLine } from "../core/text/Text.ts"

const two = (value: number): string => String(value).padStart(2, "0")

/** A span of milliseconds: `0.4s`, `12s`, `2m 03s`, `1h 02m`, `3d 04h`. */
export const span = (ms: number): string => {
  const seconds = Math.max(0, ms) / 1000
  if (seconds < 10) return `${Math.round(seconds * 10) / 10}s`
  const whole = Math.floor(seconds)
  if (whole < 60) return `${whole}s`
  const minutes = Math.floor(whole / 60)
  if (minutes < 60) return `${minutes}m ${two(whole % 60)}s`
  const hours = Math.floor(minutes / 60)
  return hours < 24 ? `${hours}h ${two(minutes % 60)}m` : `${Math.floor(hours / 24)}d ${two(hours % 24)}h`
}

/** A count with its noun. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

const short = (id: string): string => /^[0-9a-f]{40}/.test(id) ? id.slice(0, 12) : oneLine(id)
const named = (name: string, id: string | null): string => id === null ? "" : `, ${name} ${short(id)}`

/** What was reviewed: the tree, the commit it lies on, and the base's commit. */
export const identityText = (identity: Identity): string => {
  if (identity._tag === "Unknown") return `unknown (${oneLine(identity.why)})`
  const { base, head, tree } = identity
  const text = named("tree", tree) + named(tree === null ? "commit" : "HEAD", head) + named("base", base)
  return text === "" ? "an empty repository" : text.slice(2)
}

/** `low batch 3`. */
export const batchText = ({ batch, level }: { readonly level: string; readonly batch: number }): string =>
  `${level} batch ${batch}`

/** `low batch 3 slot 1`. */
export const slotText = (at: { readonly level: string; readonly batch: number; readonly slot: number }): string =>
  `${batchText(at)} slot ${at.slot}`
