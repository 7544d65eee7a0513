import { describe, expect, test } from 'vitest'
import { serverNames } from './server-names.ts'

describe('the names of a server', () => {
  test('are the loopback ones, the address it listens on, and what the configuration adds', () => {
    const names = serverNames('10.1.2.3', ['bird.example.com', '::2'])
    expect(names).toEqual(expect.arrayContaining(['localhost', '127.0.0.1', '::1', '10.1.2.3', 'bird.example.com', '::2']))
    expect(new Set(names).size).toBe(names.length)
  })

  test('leave out what no certificate can name', () => {
    expect(serverNames('0.0.0.0', ['not a name'])).not.toContain('not a name')
    expect(serverNames('0.0.0.0', [])).not.toContain('0.0.0.0')
  })
})
