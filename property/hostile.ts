// hostile: findings as an attacker, or a broken reviewer, would write them, and reports that are full of them.
// What breaks formats is likely here: fences, headers, commands, controls, directions, half characters.
import * as fc from "fast-check"
import { findingOf, priorityFrom } from "../src/review/findings/Finding.ts"
import type { FindingsReport } from "../src/review/findings/Report.ts"
import { hostileText } from "../src/testing/arbitraries/Values.ts"
import { batchOf, failed, report, running } from "../test/support/reviewedBatches.ts"

const pieces = fc.oneof(
  hostileText,
  fc.constantFrom(
    "```",
    "````text",
    "~~~",
    "\n```\n",
    "\n| ```\n",
    "# Findings of low batch 9",
    "## 1. P0, new",
    "- [P0] x — a:1-2",
    "\n    Findings: /etc/passwd",
    "Findings: /tmp/evil",
    "History: /tmp/evil",
    "::error::",
    "\n::error file=a::b",
    "::stop-commands::x",
    "##[error]x",
    "%0A",
    "%25",
    ":",
    ",",
    "=",
    "{0}",
    "{{",
    "}",
    "[a](1)",
    "[x](http://evil)",
    "</script>",
    "<!--",
    "\u001b[31m",
    "\u009b31m",
    "\u202e",
    "\u2066",
    "\ud800",
    "\udfff",
    "\u{e0041}",
    "\u200b",
    "\u0000",
    "\u00ad",
    "\u2060",
    "\u2062",
    "\u3164",
    "\u{e0100}",
    "\ufffa",
    "\ufeff",
    "a\u200db",
    "\u200d\u200c",
    "क\u200dष",
    "👩\u200d💻",
    "❤\ufe0f",
    "\ufe0f\ufe0e",
    "1\ufe0f\u20e3",
    "\u180b",
    "漢字",
    "שלום"
  ),
  fc.string({ maxLength: 12 })
)

/** A text of such pieces. */
export const nasty: fc.Arbitrary<string> = fc.array(pieces, { maxLength: 6 }).map((parts) => parts.join(""))

const path = fc.oneof(
  nasty,
  fc.constantFrom(
    "src/a.ts",
    "../../etc/passwd",
    "/etc/passwd",
    "a b/ü/100%.ts",
    "C:\\x\\y.ts",
    "a,b:c=d.ts",
    "a/../b.ts"
  )
)

/** A finding of one slot, as it comes out of reading a review. */
export const finding = fc.record({
  title: nasty,
  body: nasty,
  priority: fc.option(fc.nat(3)).map(priorityFrom),
  path: fc.option(path),
  start: fc.option(fc.integer({ min: 1, max: 30 })),
  slot: fc.integer({ min: 1, max: 3 })
}).map(({ body, path, priority, slot, start, title }) => {
  const lines = start === null ? null : { start, end: start + 2 }
  return findingOf({ title, body, priority, place: path === null ? null : { path, lines } }, slot, "/repo")
})

const findings = fc.array(finding, { maxLength: 5 })
const unlisted = fc.array(fc.record({ slot: fc.constantFrom(1, 2), reason: nasty, body: nasty }), { maxLength: 1 })
const missing = fc.oneof(
  fc.constant([]),
  nasty.map((message) => [failed(3, message)]),
  fc.constant([running(3)])
)

/** A report of a batch with a batch before it. */
export const hostileReport: fc.Arbitrary<FindingsReport> = fc
  .record({
    before: findings,
    now: findings,
    again: fc.boolean(),
    unlisted,
    missing,
    target: nasty,
    unread: fc.boolean()
  })
  .map(({ again, before, missing, now, target, unlisted, unread }) => ({
    ...report(
      batchOf(1, before, { read: !unread }),
      batchOf(
        2,
        [...now, ...(again ? before : [])].filter(({ detectedBy }) => missing.length === 0 || !detectedBy.includes(3)),
        {
          unlisted,
          missing
        }
      )
    ),
    target
  }))

/**
 * What may not be in anything that is printed, but for line ends and tabs: what a terminal acts on, what shows nothing,
 * halves of characters, joiners and selectors in runs or behind nothing. Written out from Unicode's tables.
 */
export const unprintable = new RegExp(
  "[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b" +
    "\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0d\\ufeff\\uffa0\\ufff0-\\ufffb\\u{1bca0}-\\u{1bca3}" +
    "\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}]|\\p{Surrogate}|[\\u200c\\u200d][\\u200c\\u200d\\ufe0e\\ufe0f]|[\\ufe0e\\ufe0f]{2}|" +
    "(?:^|[\\u0000-\\u007f])[\\u200c\\u200d\\ufe0e]|(?:^|[^#*0-9\\p{Emoji}\\p{Extended_Pictographic}])\\ufe0f|[\\u200c\\u200d](?:$|[\\u0000-\\u007f])",
  "u"
)
