import { render } from 'preact'

import { DashboardApp } from './app.tsx'
import { startRouter } from './router.ts'
import './theme.ts'
import '../components/components.css'
import './app.css'

startRouter()
render(<DashboardApp />, document.getElementById('app') ?? document.body)
