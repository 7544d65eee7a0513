const blocks = /-----BEGIN ([A-Z ]+)-----[\s\S]+?-----END \1-----/g

/** The first private key in a PEM text. */
export function privateKeyIn(text: string): string | undefined {
  return [...text.matchAll(blocks)].find(([, label]) => label?.endsWith('PRIVATE KEY'))?.[0]
}

/** All certificates in a PEM text, in their order. */
export function certificatesIn(text: string): readonly string[] {
  return [...text.matchAll(blocks)].filter(([, label]) => label === 'CERTIFICATE').map(([block]) => block)
}
