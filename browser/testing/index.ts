export { fillCard, type CardEntry, type FilledCard, type FormLocator, type FormPage } from './fill-card.ts'
export { fakeTessera, type FakeScript, type FakeTessera, type LikeCardForm } from './fake-tessera.ts'
