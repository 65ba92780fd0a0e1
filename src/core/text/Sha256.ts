// Sha256: the SHA-256 digest of a text, where no port is at hand that could be asked for one.
// Its constants are the first 32 bits of the fractions of the cube roots of the first 64 primes.
const constants = new Int32Array([
  0x428a2f98,
  0x71374491,
  0xb5c0fbcf,
  0xe9b5dba5,
  0x3956c25b,
  0x59f111f1,
  0x923f82a4,
  0xab1c5ed5,
  0xd807aa98,
  0x12835b01,
  0x243185be,
  0x550c7dc3,
  0x72be5d74,
  0x80deb1fe,
  0x9bdc06a7,
  0xc19bf174,
  0xe49b69c1,
  0xefbe4786,
  0x0fc19dc6,
  0x240ca1cc,
  0x2de92c6f,
  0x4a7484aa,
  0x5cb0a9dc,
  0x76f988da,
  0x983e5152,
  0xa831c66d,
  0xb00327c8,
  0xbf597fc7,
  0xc6e00bf3,
  0xd5a79147,
  0x06ca6351,
  0x14292967,
  0x27b70a85,
  0x2e1b2138,
  0x4d2c6dfc,
  0x53380d13,
  0x650a7354,
  0x766a0abb,
  0x81c2c92e,
  0x92722c85,
  0xa2bfe8a1,
  0xa81a664b,
  0xc24b8b70,
  0xc76c51a3,
  0xd192e819,
  0xd6990624,
  0xf40e3585,
  0x106aa070,
  0x19a4c116,
  0x1e376c08,
  0x2748774c,
  0x34b0bcb5,
  0x391c0cb3,
  0x4ed8aa4a,
  0x5b9cca4f,
  0x682e6ff3,
  0x748f82ee,
  0x78a5636f,
  0x84c87814,
  0x8cc70208,
  0x90befffa,
  0xa4506ceb,
  0xbef9a3f7,
  0xc67178f2
])

const turned = (word: number, by: number): number => (word >>> by) | (word << (32 - by))

/** The bytes with the padding that the standard asks for: a bit, zeros, and the length in bits. */
const padded = (bytes: Uint8Array): DataView => {
  const whole = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64)
  whole.set(bytes)
  whole[bytes.length] = 0x80
  const view = new DataView(whole.buffer)
  view.setUint32(whole.length - 8, Math.floor(bytes.length / 0x20000000))
  view.setUint32(whole.length - 4, (bytes.length << 3) >>> 0)
  return view
}

const schedule = (words: Int32Array, view: DataView, at: number): void => {
  for (let i = 0; i < 16; i++) words[i] = view.getInt32(at + 4 * i)
  for (let i = 16; i < 64; i++) {
    const early = words[i - 15] ?? 0
    const late = words[i - 2] ?? 0
    const small = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3)
    const large = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10)
    words[i] = (words[i - 16] ?? 0) + small + (words[i - 7] ?? 0) + large
  }
}

const hex = (word: number): string => (word >>> 0).toString(16).padStart(8, "0")

/** The lower-case hexadecimal SHA-256 of a text's UTF-8 bytes. */
export const sha256 = (text: string): string => {
  const view = padded(new TextEncoder().encode(text))
  const words = new Int32Array(64)
  let [h0, h1, h2, h3] = [0x6a09e667, 0xbb67ae85 | 0, 0x3c6ef372, 0xa54ff53a | 0]
  let [h4, h5, h6, h7] = [0x510e527f, 0x9b05688c | 0, 0x1f83d9ab, 0x5be0cd19]
  for (let at = 0; at < view.byteLength; at += 64) {
    schedule(words, view, at)
    let [a, b, c, d, e, f, g, h] = [h0, h1, h2, h3, h4, h5, h6, h7]
    for (let i = 0; i < 64; i++) {
      const chosen = (e & f) ^ (~e & g)
      const one = (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + chosen +
        (constants[i] ?? 0) + (words[i] ?? 0)) | 0
      const most = (a & b) ^ (a & c) ^ (b & c)
      const two = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + most) | 0
      h = g
      g = f
      f = e
      e = (d + one) | 0
      d = c
      c = b
      b = a
      a = (one + two) | 0
    }
    h0 = (h0 + a) | 0
    h1 = (h1 + b) | 0
    h2 = (h2 + c) | 0
    h3 = (h3 + d) | 0
    h4 = (h4 + e) | 0
    h5 = (h5 + f) | 0
    h6 = (h6 + g) | 0
    h7 = (h7 + h) | 0
  }
  return [h0, h1, h2, h3, h4, h5, h6, h7].map(hex).join("")
}
