import VitrineMath
import VitrineVision

extension InertialTrajectoryFit {
    /// Of all that is known, from the present state; nil where that isn't finite.
    func equations(isRobust: Bool) -> FitEquations? {
        var equations = FitEquations(controls: spline.controls.count)
        for index in samples.indices { addSample(index, &equations) }
        for timed in poses { addPose(timed, isRobust, &equations) }
        addWalks(&equations)
        addPriors(&equations)
        return equations.cost.isFinite ? equations : nil
    }

    /// The six control points that a moment knows: how their place, first and second derivatives weigh there, and the slopes that turns have.
    private struct Moment {
        let first: Int
        let value, speed, force: SIMD8<Double>
        let turn, turnSpeed: SIMD4<Double>
        let squared: Double
        /// Rows of the turn about the body's axes by the quaternion.
        let slope: (SIMD4<Double>, SIMD4<Double>, SIMD4<Double>)

        init(_ spline: TrajectorySpline, _ time: Double) {
            let (first, fraction) = spline.span(time)
            let weights = (3...5).map { TrajectorySpline.basis(degree: $0, fraction) }
            var (speed, force) = (SIMD8<Double>.zero, SIMD8<Double>.zero)
            for j in 0...5 {
                let (b1, b2) = (weights[1], weights[0])
                speed[j] = ((j > 0 ? b1[j - 1] : 0) - b1[j]) / spline.spacing
                force[j] = ((j > 1 ? b2[j - 2] : 0) - 2 * (j > 0 ? b2[j - 1] : 0) + b2[j]) / (spline.spacing * spline.spacing)
            }
            var (turn, turnSpeed) = (SIMD4<Double>.zero, SIMD4<Double>.zero)
            for j in 0...5 {
                turn += spline.controls[first + j].turn * weights[2][j]
                turnSpeed += spline.controls[first + j].turn * speed[j]
            }
            squared = (turn * turn).sum()
            let q = turn * (2 / squared)
            slope = (SIMD4(q.w, q.z, -q.y, -q.x), SIMD4(-q.z, q.w, q.x, -q.y), SIMD4(q.y, -q.x, q.w, -q.z))
            (self.first, value, self.speed, self.force) = (first, weights[2], speed, force)
            (self.turn, self.turnSpeed) = (turn, turnSpeed)
        }

        /// How the angular velocity follows the quaternion itself.
        func rateSlope(_ rate: Vector3d) -> (SIMD4<Double>, SIMD4<Double>, SIMD4<Double>) {
            let (p, q) = (turnSpeed * (2 / squared), turn * (2 / squared))
            return (
                SIMD4(-p.w, -p.z, p.y, p.x) - q * rate.x, SIMD4(p.z, -p.w, -p.x, p.y) - q * rate.y,
                SIMD4(-p.y, p.x, -p.w, p.z) - q * rate.z
            )
        }
    }

    private func addSample(_ index: Int, _ equations: inout FitEquations) {
        let sample = samples[index]
        let before = sample.time - samples[max(index - 1, 0)].time
        let after = samples[min(index + 1, samples.count - 1)].time - sample.time
        let interval = min(max(before, after), 0.02)
        guard interval > 0 else { return }
        let moment = Moment(spline, sample.time)
        let miss = miss(sample)
        let (bias, share) = biasPlace(sample.time)
        let biases = [(bias - moment.first, 1 - share), (bias - moment.first + 1, share)]

        let (rate, slope) = (moment.rateSlope(miss.rate + sample.angularVelocity - biasAt(bias, share).gyroscope), moment.slope)
        let byRate = [(slope.0, rate.0), (slope.1, rate.1), (slope.2, rate.2)]
        let rateWeight = (interval / (noise.gyroscope * noise.gyroscope))
        for (axis, rows) in byRate.enumerated() {
            var row = FitEquations.Row()
            for j in 0...5 { row.turn(j, rows.0 * moment.speed[j] + rows.1 * moment.value[j]) }
            for (j, share) in biases { row[j, FitEquations.gyroscope + axis] = share }
            equations.add(row, at: moment.first, miss: miss.rate[axis], weight: rateWeight)
        }

        let f = miss.force + sample.acceleration - biasAt(bias, share).accelerometer
        let byTurn = [slope.2 * f.y - slope.1 * f.z, slope.0 * f.z - slope.2 * f.x, slope.1 * f.x - slope.0 * f.y]
        let rotation = Matrix3d(quaternion: moment.turn)
        let forceWeight = interval / (noise.accelerometer * noise.accelerometer)
        for (axis, (column, byTurn)) in zip([rotation.x, rotation.y, rotation.z], byTurn).enumerated() {
            var row = FitEquations.Row()
            for j in 0...5 {
                row.place(j, column * moment.force[j])
                row.turn(j, byTurn * moment.value[j])
            }
            for (j, share) in biases { row[j, FitEquations.accelerometer + axis] = share }
            equations.add(row, at: moment.first, miss: miss.force[axis], weight: forceWeight)
        }
        addLength(moment, &equations)
    }

    private func biasAt(_ index: Int, _ share: Double) -> (gyroscope: Vector3d, accelerometer: Vector3d) {
        (
            gyroscopeBiases[index] * (1 - share) + gyroscopeBiases[index + 1] * share,
            accelerometerBiases[index] * (1 - share) + accelerometerBiases[index + 1] * share
        )
    }

    /// Quaternions keep about unit length, which nothing else asks of them.
    private func addLength(_ moment: Moment, _ equations: inout FitEquations) {
        var row = FitEquations.Row()
        for j in 0...5 { row.turn(j, moment.turn * (2 * moment.value[j])) }
        equations.add(row, at: moment.first, miss: moment.squared - 1, weight: 1e4)
    }

    private func addPose(_ timed: TimedPose, _ isRobust: Bool, _ equations: inout FitEquations) {
        let time = timed.time + clockOffset
        let (moment, motion, expected) = (Moment(spline, time), spline.motion(at: time), told(timed.pose))
        let isInside = time > spline.start && time < spline.end
        let place = motion.worldFromBody.translation - expected.translation
        let turn = (expected.rotation.transpose * motion.worldFromBody.rotation).rotationVector
        let (placeVariance, turnVariance) = (
            settings.positionDeviation * settings.positionDeviation, settings.turnDeviation * settings.turnDeviation
        )
        func weight(_ miss: Vector3d, _ variance: Double) -> Double {
            isRobust ? 1 / (variance * (1 + lengthSquared(miss) / (9 * variance))) : 1 / variance
        }
        let (placeWeight, turnWeight) = (weight(place, placeVariance), weight(turn, turnVariance))
        let arm = worldFromPosed * timed.pose.rotation
        for axis in 0..<3 {
            var unit = Vector3d.zero
            unit[axis] = 1
            var row = FitEquations.Row()
            for j in 0...5 { row.place(j, unit * moment.value[j]) }
            // A turn of the world by e moves what is expected by e × place.
            let tilt = cross(expected.translation, unit)
            let byArm = arm.transpose * unit
            row.common = FitEquations.Common(
                -tilt.x, -tilt.z, 0, 0, 0, -byArm.x, -byArm.y, -byArm.z, isInside ? motion.velocity[axis] : 0, 0, 0, 0, 0, 0, 0, 0)
            equations.add(row, at: moment.first, miss: place[axis], weight: placeWeight)
        }
        let rows = [moment.slope.0, moment.slope.1, moment.slope.2]
        let body = motion.worldFromBody.rotation
        for axis in 0..<3 {
            var unit = Vector3d.zero
            unit[axis] = 1
            var row = FitEquations.Row()
            for j in 0...5 { row.turn(j, rows[axis] * moment.value[j]) }
            let tilt = body * unit
            row.common = FitEquations.Common(
                -tilt.x, -tilt.z, -unit.x, -unit.y, -unit.z, 0, 0, 0, isInside ? motion.angularVelocity[axis] : 0, 0, 0, 0, 0, 0, 0, 0)
            equations.add(row, at: moment.first, miss: turn[axis], weight: turnWeight)
        }
        addLength(moment, &equations)
    }

    /// Biases walk; and where nothing else tells, the motion goes on smoothly.
    private func addWalks(_ equations: inout FitEquations) {
        let walks = [noise.gyroscopeWalk, noise.accelerometerWalk].map { 1 / max($0 * $0 * spline.spacing, 1e-18) }
        let cubed = spline.spacing * spline.spacing * spline.spacing
        // Third derivatives of 1000 m/s³ and as much of the quaternion are more than anything carried has.
        let smooth = 1 / (1000 * cubed * 1000 * cubed)
        for first in 0..<(spline.controls.count - 3) {
            let bent = spline.controls[first + 3] - spline.controls[first] + 3 * (spline.controls[first + 1] - spline.controls[first + 2])
            for component in 0..<7 {
                var row = FitEquations.Row()
                for (j, factor) in [-1.0, 3, -3, 1].enumerated() { row[j, component] = factor }
                equations.add(row, at: first, miss: bent[component], weight: smooth)
            }
        }
        for first in 0..<(spline.controls.count - 1) {
            let gyroscope = gyroscopeBiases[first + 1] - gyroscopeBiases[first]
            let accelerometer = accelerometerBiases[first + 1] - accelerometerBiases[first]
            for axis in 0..<3 {
                for (component, miss, weight) in [
                    (FitEquations.gyroscope, gyroscope[axis], walks[0]), (FitEquations.accelerometer, accelerometer[axis], walks[1]),
                ] {
                    var row = FitEquations.Row()
                    (row[0, component + axis], row[1, component + axis]) = (-1, 1)
                    equations.add(row, at: first, miss: miss, weight: weight)
                }
            }
        }
    }

    private func addPriors(_ equations: inout FitEquations) {
        for axis in 0..<3 {
            var row = FitEquations.Row()
            row[0, FitEquations.gyroscope + axis] = 1
            equations.add(row, at: 0, miss: gyroscopeBiases[0][axis], weight: 1 / (0.2 * 0.2))
            row = FitEquations.Row()
            row[0, FitEquations.accelerometer + axis] = 1
            equations.add(row, at: 0, miss: accelerometerBiases[0][axis], weight: 1 / (0.5 * 0.5))
        }
        let (tilt, turn, arm) = (worldFromPosed.rotationVector, posedFromBody.rotation.rotationVector, posedFromBody.translation)
        let values = [tilt.x, tilt.z, turn.x, turn.y, turn.z, arm.x, arm.y, arm.z, clockOffset]
        let deviations =
            [settings.tiltDeviation, settings.tiltDeviation] + Array(repeating: settings.mountTurnDeviation, count: 3)
            + Array(repeating: settings.mountArmDeviation, count: 3) + [settings.clockDeviation]
        for (index, (value, deviation)) in zip(values, deviations).enumerated() {
            var row = FitEquations.Row()
            row.common[index] = 1
            let held = max(deviation, 1e-9)
            equations.add(row, at: 0, miss: value, weight: 1 / (held * held))
        }
    }
}
