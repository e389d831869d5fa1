// The entry point of the page.

import './style/tokens.css'
import './style/base.css'
import './style/shell.css'
import './style/feed.css'
import './style/pages.css'
import './style/more-pages.css'
import 'uplot/dist/uPlot.min.css'
import { render } from 'preact'
import { App } from './app.tsx'
import { startClock } from './state/clock.ts'
import { startKeyboard } from './state/keyboard.ts'
import { startLive } from './state/live.ts'
import { startRouting } from './state/route.ts'

startRouting()
startClock()
startKeyboard()
void startLive()
const root = document.getElementById('app')
if (root !== null) render(<App />, root)
