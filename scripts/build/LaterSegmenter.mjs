// LaterSegmenter: replaces `Intl.Segmenter` in the bundle, because that takes milliseconds to make.
// Effect makes one as it loads, and uses it only to lay out the help of a subcommand.
export class LaterSegmenter {
  /** @param {ConstructorParameters<typeof Intl.Segmenter>} given */
  constructor(...given) {
    this.given = given
    /** @type {Intl.Segmenter | null} */
    this.made = null
  }

  /** @param {string} text */
  segment(text) {
    // Taken apart, because the bundler replaces the whole name by this class.
    const { Segmenter } = Intl
    this.made ??= new Segmenter(...this.given)
    return this.made.segment(text)
  }
}
