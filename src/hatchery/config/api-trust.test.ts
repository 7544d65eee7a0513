import { expect, test } from 'vitest'
import { apiTrust } from './api-trust.ts'

test.each([
  { says: { insecure: false }, trust: {} },
  { says: { insecure: true }, trust: { insecure: true } },
  { says: { insecure: true, ca: 'PEM' }, trust: { ca: 'PEM' } },
  { says: { insecure: true, thumbprint: 'ab' }, trust: { thumbprint: 'ab' } },
  { says: { insecure: false, ca: 'PEM' }, trust: { ca: 'PEM' } },
])('an API of which the file says $says must prove $trust', ({ says, trust }) => {
  expect(apiTrust(says)).toEqual(trust)
})
