// Script: the one script of a report: it filters the findings. Without it all of them are shown.
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
