// Style: the one style sheet of a report: light and dark, wide and narrow, on paper.
// It names no font and no file: nothing is loaded.
import { sha256Base64 } from "../../../platform/Sha256.ts"

/** The style sheet. */
export const style = `
:root {
  color-scheme: light dark;
  --ground: #fbfbfa; --raised: #ffffff; --ink: #1b1d21; --quiet: #5a6070; --rule: #d9dce2; --accent: #1f5fbf;
  --good: #1a7442; --good-ground: #e3f4ea; --bad: #b02a1e; --bad-ground: #fbe7e4;
  --open: #8a5a00; --open-ground: #fbf0d9; --neutral: #4b5160; --neutral-ground: #eceef2;
  --added: #e3f4ea; --removed: #fbe7e4;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14161a; --raised: #1c1f25; --ink: #e6e8ec; --quiet: #a2a9b8; --rule: #363b46; --accent: #8ab4f8;
    --good: #6cd39a; --good-ground: #16331f; --bad: #ff9d92; --bad-ground: #40201c;
    --open: #f0c163; --open-ground: #3a2d11; --neutral: #c0c6d2; --neutral-ground: #2a2e37;
    --added: #16331f; --removed: #40201c;
  }
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body {
  margin: 0; background: var(--ground); color: var(--ink); overflow-wrap: anywhere;
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", "Liberation Sans", "DejaVu Sans", sans-serif;
}
header, main, footer { max-width: 66rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 1.5rem; }
footer { padding-bottom: 2rem; color: var(--quiet); font-size: .875rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .25rem; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .75rem; padding-bottom: .3rem; border-bottom: 1px solid var(--rule); }
h3 { font-size: 1rem; margin: 0; }
div > h3 { margin-top: 1.25rem; }
h4 { font-size: .9375rem; margin: 1rem 0 .25rem; }
p { margin: .4rem 0; }
a { color: var(--accent); }
code, pre {
  font-family: ui-monospace, "SF Mono", "Liberation Mono", "DejaVu Sans Mono", monospace; font-size: .8125rem;
}
pre {
  margin: .5rem 0; padding: .75rem; overflow-x: auto; background: var(--neutral-ground); border-radius: .375rem;
  white-space: pre-wrap; line-height: 1.45;
}
.diff { padding: .5rem 0; overflow-x: auto; }
.diff span { display: block; padding: 0 .75rem; min-height: 1.45em; }
.diff .added { background: var(--added); }
.diff .removed { background: var(--removed); }
.diff .file { font-weight: 600; }
.quiet { color: var(--quiet); font-size: .875rem; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: .5rem; padding: .5rem 1rem; background: var(--raised); z-index: 2; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 1rem 0 0; padding: 0; list-style: none; }
.mark {
  display: inline-block; padding: .05rem .5rem; border-radius: .375rem; font-size: .8125rem; font-weight: 600;
  color: var(--neutral); background: var(--neutral-ground);
}
.good { color: var(--good); background: var(--good-ground); }
.bad { color: var(--bad); background: var(--bad-ground); }
.open { color: var(--open); background: var(--open-ground); }
.verdict { font-size: 1.0625rem; padding: .3rem .75rem; }
dl { display: grid; grid-template-columns: fit-content(40%) minmax(0, 1fr); gap: .2rem 1rem; margin: .75rem 0; }
dt { color: var(--quiet); }
dd { margin: 0; }
.plain { margin: .5rem 0; padding: 0; list-style: none; }
.plain > li { margin: .35rem 0; }
.plain > .card { margin: .6rem 0; }
.card {
  margin: .75rem 0; padding: .75rem 1rem; border: 1px solid var(--rule); border-radius: .5rem;
  background: var(--raised);
}
.card > h3 { display: flex; flex-wrap: wrap; gap: .35rem .6rem; align-items: baseline; }
.card > h3 .name { flex: 1 1 16rem; }
/* Of thousands of cards those out of sight are not laid out. */
.many > .card { content-visibility: auto; contain-intrinsic-size: auto 8rem; }
details { margin: .4rem 0; }
summary { cursor: pointer; color: var(--accent); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .875rem; }
caption { text-align: left; color: var(--quiet); padding-bottom: .25rem; }
th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid var(--rule); vertical-align: top; }
thead th { color: var(--quiet); font-weight: 600; white-space: nowrap; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
th, td { overflow-wrap: break-word; }
.short { white-space: nowrap; }
td > .plain { margin: 0; }
td > .plain > li:first-child { margin-top: 0; }
.filter { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: end; margin: .75rem 0; }
.filter label { display: grid; gap: .15rem; font-size: .875rem; color: var(--quiet); }
.filter label:first-child { flex: 1 1 14rem; }
input, select {
  font: inherit; width: 100%; padding: .35rem .5rem; border: 1px solid var(--quiet); border-radius: .375rem;
  background: var(--raised); color: var(--ink);
}
[hidden] { display: none !important; }
@media (max-width: 40rem) {
  header, main, footer { padding-left: .875rem; padding-right: .875rem; }
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: .4rem; }
  .card { padding: .6rem .75rem; }
  td, tbody th { overflow-wrap: anywhere; min-width: 4rem; }
  .number, .short { overflow-wrap: break-word; min-width: 0; }
}
@media print {
  :root {
    color-scheme: light;
    --ground: #fff; --raised: #fff; --ink: #000; --quiet: #444; --rule: #bbb; --accent: #000;
    --good: #0d5c31; --good-ground: #fff; --bad: #8c1d13; --bad-ground: #fff; --open: #6b4600; --open-ground: #fff;
    --neutral: #333; --neutral-ground: #fff; --added: #eaf6ef; --removed: #fbeeec;
  }
  body { font-size: 10.5pt; }
  header, main, footer { max-width: none; padding: 0; }
  nav, .filter, .skip { display: none !important; }
  .mark { border: 1px solid currentcolor; }
  .card { break-inside: avoid-page; }
  .many > .card { content-visibility: visible; }
  pre { border: 1px solid var(--rule); white-space: pre-wrap; }
  .wide, pre { overflow: visible; }
  table { font-size: .72rem; }
  th, td { padding: .2rem .3rem; }
  tbody th, td { overflow-wrap: anywhere; min-width: 4rem; }
  td.number, td.short { overflow-wrap: break-word; min-width: 0; }
  thead th { white-space: normal; }
  td .mark { font-size: inherit; padding: 0 .25rem; }
  .short .mark { white-space: nowrap; }
  .short { white-space: normal; }
  h2, h3, h4 { break-after: avoid; }
  thead { display: table-header-group; }
  a { text-decoration: none; }
}
`

// The one script of a report: it filters the findings. Without it all of them are shown.
// It reads texts and hides elements; it never makes markup of a text.

/** The script. */
export const script = `
"use strict"
const form = document.getElementById("filter")
if (form !== null) {
  const cards = Array.from(document.querySelectorAll("#findings-list > .card"))
  const texts = new Map()
  const words = document.getElementById("filter-words")
  const state = document.getElementById("filter-state")
  const priority = document.getElementById("filter-priority")
  const shown = document.getElementById("filter-shown")
  const textOf = (card) => {
    const known = texts.get(card)
    if (known !== undefined) return known
    const text = card.textContent.toLowerCase()
    texts.set(card, text)
    return text
  }
  const fits = (card, wanted) =>
    (state.value === "" || card.dataset.state === state.value) &&
    (priority.value === "" || card.dataset.priority === priority.value) &&
    wanted.every((word) => textOf(card).includes(word))
  const filter = () => {
    const wanted = words.value.toLowerCase().split(/\\s+/).filter((word) => word !== "")
    let count = 0
    for (const card of cards) {
      card.hidden = !fits(card, wanted)
      if (!card.hidden) count += 1
    }
    shown.textContent = count + " of " + cards.length + " shown"
  }
  let waiting = 0
  const soon = () => {
    clearTimeout(waiting)
    waiting = setTimeout(filter, 60)
  }
  form.hidden = false
  words.addEventListener("input", soon)
  state.addEventListener("change", filter)
  priority.addEventListener("change", filter)
  document.addEventListener("keydown", (event) => {
    const typing = /^(input|select|textarea)$/i.test(event.target.tagName)
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault()
      words.focus()
    }
    if (event.key === "Escape" && event.target === words) {
      words.value = ""
      filter()
    }
  })
  filter()
}
window.addEventListener("beforeprint", () => {
  for (const one of document.querySelectorAll("details.print")) one.open = true
})
`

// The page's own policy: show its one style sheet, run its one script, and nothing else.

const source = (text: string): string => `'sha256-${sha256Base64(text)}'`

/** The policy of a page with this style sheet and this script. */
export const policy = (style: string, script: string): string =>
  [
    "default-src 'none'",
    `style-src ${source(style)}`,
    `script-src ${source(script)}`,
    "base-uri 'none'",
    "form-action 'none'"
  ].join("; ")
