import { describe, expect, test, vi } from 'vitest'
import { memoryFiles, prometheusMetrics, recordingLog, Secret, seededChance, VirtualClock } from '../../ports/index.ts'
import { FileSecret } from '../config/file-secret.ts'
import { CertificateNotUsable } from '../errors.ts'
import { makeAuthority, makeServerCertificate } from './make-certificate.ts'
import { keepRenewing, servingCertificate } from './serving-certificate.ts'
import type { ServingCertificateOptions, TlsSettings } from './serving-certificate.ts'

const day = 24 * 3_600_000
const start = 1_800_000_000_000
const chance = seededChance('serving')

function setUp(tls: Partial<TlsSettings> = {}, content: Record<string, string> = {}) {
  const clock = new VirtualClock({ start })
  const metrics = prometheusMetrics()
  const log = recordingLog()
  const files = memoryFiles(content)
  const options: ServingCertificateOptions = {
    dataDir: '/d',
    host: '127.0.0.1',
    tls: { names: [], ...tls },
    files,
    clock,
    chance,
    log,
    metrics,
  }
  return { clock, metrics, log, files, options }
}

const authority = await makeAuthority({ name: 'Test', now: start, lifetime: 100 * day, chance })
const pair = await makeServerCertificate({ name: 'test', now: start, lifetime: 10 * day, chance, names: ['localhost'], authority })
const other = await makeServerCertificate({ name: 'other', now: start, lifetime: 10 * day, chance, names: ['localhost'], authority })

describe('a certificate of the configuration', () => {
  test('is shown with its chain, and clients are told its authority', async () => {
    const { options, metrics } = setUp(
      { certificate: '/c.pem', key: pair.key, ca: '/ca.pem' },
      { '/c.pem': `text before\n${pair.certificate}${authority.certificate}`, '/ca.pem': authority.certificate },
    )
    const serving = await servingCertificate(options)
    expect(serving.certificate).toBe(pair.certificate + authority.certificate)
    expect(serving.ca).toBe(authority.certificate)
    expect(await metrics.text()).toContain(`aviary_server_certificate_expires_timestamp_seconds ${(start + 10 * day) / 1000}`)
  })

  test('without an authority needs none to be told, unless it vouches for itself', async () => {
    const trusted = setUp({ certificate: '/c.pem', key: pair.key }, { '/c.pem': pair.certificate })
    expect((await servingCertificate(trusted.options)).ca).toBeUndefined()
    const selfSigned = setUp({ certificate: '/c.pem', key: authority.key }, { '/c.pem': authority.certificate })
    expect((await servingCertificate(selfSigned.options)).ca).toBe(authority.certificate)
  })

  const refusals: readonly [string, Record<string, string>, Secret, string][] = [
    ['is missing', {}, pair.key, 'there is no file /c.pem'],
    ['is empty', { '/c.pem': '' }, pair.key, 'there is no PEM certificate in it'],
    ['is not PEM', { '/c.pem': 'DER?' }, pair.key, 'there is no PEM certificate in it'],
    ['has another key', { '/c.pem': pair.certificate }, other.key, 'the private key is not that of the certificate'],
    ['has no key', { '/c.pem': pair.certificate }, new Secret('none'), 'there is no PEM private key in it'],
  ]
  test.each(refusals)('that %s is refused with its name and the reason', async (_, content, key, why) => {
    const error = await servingCertificate(setUp({ certificate: '/c.pem', key }, content).options).catch((caught: unknown) => caught)
    expect(CertificateNotUsable.is(error) && error.details).toEqual({ file: '/c.pem', why })
  })

  test('that has expired is refused', async () => {
    const { options, clock } = setUp({ certificate: '/c.pem', key: pair.key }, { '/c.pem': pair.certificate })
    await clock.advance(10 * day)
    await expect(servingCertificate(options)).rejects.toThrow('it has expired')
  })
})

test('a certificate of the configuration that is not valid yet is refused', async () => {
  const later = await makeServerCertificate({ name: 'later', now: start + day, lifetime: day, chance, names: ['localhost'], authority })
  const { options } = setUp({ certificate: '/c.pem', key: later.key }, { '/c.pem': later.certificate })
  await expect(servingCertificate(options)).rejects.toThrow('it is valid only from ')
})

describe('a certificate of the configuration that is replaced while the server runs', () => {
  async function running() {
    const content = { '/c.pem': pair.certificate, '/k.pem': pair.key.reveal() }
    const world = setUp({ certificate: '/c.pem', key: new FileSecret(pair.key.reveal(), '/k.pem') }, content)
    const shown: string[] = []
    const stop = keepRenewing(world.options, await servingCertificate(world.options), serving => shown.push(serving.certificate))
    return { ...world, shown, stop }
  }

  test('is shown within a minute, with its new key', async () => {
    const { clock, files, log, shown, stop } = await running()
    await clock.advance(600_000)
    expect(shown).toEqual([])
    await files.write('/c.pem', other.certificate)
    await files.write('/k.pem', other.key.reveal())
    await clock.advance(60_000)
    expect(shown).toEqual([other.certificate])
    expect(log.lines.map(({ message }) => message)).toEqual(['server certificate renewed'])
    stop()
  })

  test('by one that cannot be used leaves the old one shown, which is told once', async () => {
    const { clock, files, log, shown, stop } = await running()
    await files.write('/c.pem', other.certificate)
    await clock.advance(600_000)
    expect(shown).toEqual([])
    expect(log.lines.map(({ message }) => message)).toEqual(['server certificate cannot be renewed'])
    await files.write('/k.pem', other.key.reveal())
    await clock.advance(60_000)
    expect(shown).toEqual([other.certificate])
    stop()
  })
})

describe('a certificate of our own', () => {
  test('is renewed while the server runs, a month before its end', async () => {
    const { options, clock, log } = setUp()
    const first = await servingCertificate(options)
    const shown: string[] = []
    const stop = keepRenewing(options, first, serving => shown.push(serving.certificate))
    await clock.advance(330 * day)
    expect(shown).toEqual([])
    await clock.advance(10 * day)
    // Making keys takes real time, which the virtual clock knows nothing of.
    await vi.waitFor(() => expect(shown).toHaveLength(1))
    expect(shown[0]).not.toBe(first.certificate)
    expect(log.lines.map(line => line.message)).toEqual(['server certificate renewed'])
    stop()
    await clock.advance(400 * day)
    expect(shown).toHaveLength(1)
  })

  test('that cannot be renewed is told, tried again, and the old one stays', async () => {
    const { options, clock, log, files } = setUp()
    const first = await servingCertificate(options)
    const text = await files.read('/d/tls/authority.pem')
    await files.write('/d/tls/authority.pem', 'broken')
    const shown: string[] = []
    keepRenewing(options, first, serving => shown.push(serving.certificate))
    await clock.advance(340 * day)
    expect(shown).toEqual([])
    expect(log.lines[0]).toMatchObject({ level: 'error', message: 'server certificate cannot be renewed' })
    await files.write('/d/tls/authority.pem', text)
    await clock.advance(day)
    await vi.waitFor(() => expect(shown).toHaveLength(1))
  })
})
