// A breaker that lowers the mode after repeated failures.
import { CircuitBreaker } from 'arc-supervisor'

const alertEngine = { emit: (event) => console.log('alert:', event) }

const breaker = new CircuitBreaker({
  failureThreshold: 3,
  cooldownMs: 60_000,
  onTrip: () => alertEngine.emit('circuit-breaker-tripped'),
});

for (let failure = 1; failure <= 3; failure++) breaker.recordFailure()
console.log(breaker.state, breaker.failures, 'enforce acts as', breaker.effectiveMode('enforce'))

breaker.reset()
console.log(breaker.state, breaker.failures, 'enforce acts as', breaker.effectiveMode('enforce'))
