// The words of tools and of questions: reduced to stems, without stop words, and with synonyms.

/** Stop words. */
const FILLERS = new Set(
  'a about all also am an and any api are as at be but by can do does for from had has have i id if in is it its me my no not of on one only or our out s so some somebody someone than that the their them then there these they this to us v1 was we were will with would you your'.split(
    ' ',
  ),
)

/** Each line has synonyms: common words next to the words of this API. A word may be in several lines. */
const SYNONYMS = `
create add make new register generate issue mint
delete remove revoke cancel withdraw undo clear drop detach
change update edit rename modify set limit
rotate replace renew regenerate
list show see read get view find look which who what
send emit track record store
resend retry again replay
accept agree join
check test verify confirm resolve look
member teammate colleague employee staff people team who
customer user buyer consumer
organisation organization org company tenant
invite invitation
key token credential
money balance credit fund
spend spent cost pay paid charge usage bill price
warn alert notify threshold
webhook hook endpoint subscribe subscription
event analytics track
domain host website site hostname browser cors
error exception crash bug
audit trail history log changed happened
session sign login log device
caller myself whoami signed
request call
model llm ai language chat gpt completion
embedding vector
fallback another alternative fail
health alive up down ready
risk reference resolve disposable throwaway datacenter proxy vpn tor fraud bot
block ban suspend lock disable
password passphrase
app client oauth application
overview summary total month report
`

/** Bounds on the length of a word and the number of words. */
const WORD_CHARS_MAX = 40

/** Words without their endings, in order. */
export const wordsOf = (text: string): string[] =>
  (
    text
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? []
  )
    .filter(word => word.length <= WORD_CHARS_MAX && !FILLERS.has(word))
    .map(stem)

/** `deliveries` and `delivered` are `deliver`. The rest need not be a word, only the same for all forms. */
function stem(word: string): string {
  const stem = withoutEnding(withoutEnding(singular(word), VERB_ENDINGS), LAST_ENDINGS)
  return stem.at(-1) === stem.at(-2) ? stem.slice(0, -1) : stem
}

const VERB_ENDINGS = ['ication', 'ation', 'ing', 'ed']
const LAST_ENDINGS = ['y', 'e']
const STEM_MIN = 3

function withoutEnding(word: string, endings: readonly string[]): string {
  const ending = endings.find(one => word.endsWith(one) && word.length - one.length >= STEM_MIN)
  return ending === undefined ? word : word.slice(0, -ending.length)
}

function singular(word: string): string {
  if (word.length <= 3 || !word.endsWith('s') || word.endsWith('ss')) return word
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`
  return /(ch|sh|ss|x|z)es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1)
}

const synonyms = new Map<string, Set<string>>()
for (const line of SYNONYMS.trim().split('\n')) {
  const words = line.split(' ').map(stem)
  for (const word of words) synonyms.set(word, new Set([...(synonyms.get(word) ?? []), ...words]))
}

/** What a word without its ending may also stand for. */
export const synonymsOf = (word: string): readonly string[] =>
  [...(synonyms.get(word) ?? [])].filter(other => other !== word)
