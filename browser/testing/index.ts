export { fillCard, type CardEntry, type FilledCard, type FormLocator, type FormPage } from './fill-card.ts'
export { fakeTessera, type FakeOutcome, type FakeScript, type FakeTessera } from './fake-tessera.ts'
