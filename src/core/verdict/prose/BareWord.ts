// BareWord: a sentence that says that the review ended, or that the change is fine, and nothing else.

const approval = "approved?|pass(?:ed)?|lgtm|ok|clean|ship it|accept(?:ed)?|looks good(?: to me)?|no comments?"
const end = "(?:all |(?:the )?(?:code )?review (?:is |was |has (?:been )?)?|task (?:is )?)?(?:done|completed?|" +
  "finished|ended|over)(?: successfully)?|(?:i (?:have )?)?(?:reviewed|completed|(?:done|finished)(?: " +
  "reviewing)?)(?: the (?:code |whole )?(?:review|diff|changes?|patch|code))?"
const bareWord = new RegExp(`^(?:${approval}|${end})$`)

/** Whether a sentence, as `sentences` gives it, tells nothing of the change or of what was checked. */
export const saysNothing = (sentence: string): boolean => bareWord.test(sentence)
