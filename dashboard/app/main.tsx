import { render } from 'preact'

import { App } from './app.tsx'
import { startRouter } from './router.ts'
import './theme.ts'
import '../parts/parts.css'
import './app.css'

startRouter()
render(<App />, document.getElementById('app') ?? document.body)
