// NotAReview: answers that are no review: plans, refusals, questions back.
// The one rule: only a short answer made of nothing else counts; a review may open with a plan and end with a question.
import { has, words } from "./Words.ts"

const greeting = "(?:okay|ok|sure|understood|certainly|got it|great|alright)"
const plan = new RegExp(
  `^${greeting}?[,.! ]{0,3}(?:(?:first|next|now|then)[, ]{0,2})?` +
    "(?:i'll|i will|let me|let's|i am going to|i'm going to|i need to|i'm about to|starting|going to|" +
    "i need (?:the|your|a) (?:diff|patch|changes?|code|branch)|" +
    "(?:i am|i'm) (?:now )?(?:reviewing|looking|checking|inspecting|reading|ready|waiting)|waiting for)\\b"
)
const greetingAlone = new RegExp(`^(?:${greeting}|done|hello|hi|hey)[\\s.,!]{0,4}$`)
const refusal = [
  /\b(?:i'm sorry|i am sorry|sorry|i apologize|unfortunately)\b.{0,60}\b(?:can't|cannot|unable|not able|couldn't)\b/,
  /\bi (?:can't|cannot) (?:help|assist|comply|fulfil)/
]
const request = new RegExp(
  "^(?:which|could you|can you|would you|do you want|should i|shall i|please (?:provide|share|paste|send|attach)|" +
    "what (?:would|should|do)) "
)
// "Continue?", "How can I help you?": a question made of words of conversation alone.
const chat = words(`
  continue proceed go on ahead ready start begin resume next now done should shall i we you would like want me us to
  what how can help else anything something do okay ok yes or is it that all which one first with for
`)
const asksBack = (part: string): boolean =>
  part.endsWith("?") && part.length < 80 && (part.match(/[a-z']+/g) ?? ["?"]).every((word) => has(chat, word))
const material = /^please (?:provide|share|paste|send|attach|upload)\b.{0,60}\b(?:diff|patch|changes|code|files)\b/

const most = 4

/** Whether a plain text is an answer of that kind. */
export const notAReview = (text: string): boolean => {
  const parts = text.toLowerCase().split(/(?<=[.!?])\s+|\n+/).map((part) => part.trim()).filter((part) => part !== "")
  if (parts.length > most) return false
  return parts.every((part) => plan.test(part) || greetingAlone.test(part) || request.test(part) || asksBack(part)) ||
    refusal.some((pattern) => pattern.test(parts[0] ?? "")) || parts.some((part) => material.test(part))
}
