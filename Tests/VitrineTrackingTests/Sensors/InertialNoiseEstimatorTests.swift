import Testing
import VitrineMath
import VitrineVision

@testable import VitrineTracking

@Suite struct InertialNoiseEstimatorTests {
    /// Measures the simulated white noise, also in motion.
    @Test func measuresWhiteNoiseInMotion() throws {
        let noise = InertialNoise(gyroscope: 8e-4, accelerometer: 6e-3)
        let device = try SimulatedDevice(.held, duration: 4, noise: noise)
        var estimator = InertialNoiseEstimator()
        for sample in device.recording.samples { estimator.add(sample) }
        let measured = estimator.noise(atLeast: InertialNoise(gyroscope: 1e-4, accelerometer: 5e-4))
        #expect(abs(measured.gyroscope / 8e-4 - 1) < 0.15)
        #expect(abs(measured.accelerometer / 6e-3 - 1) < 0.15)
        // A larger stated noise is kept.
        let stated = InertialNoise(gyroscope: 2e-3, accelerometer: 0.02)
        #expect(estimator.noise(atLeast: stated) == stated)
    }

    /// A perfect IMU has almost no noise: motion, gaps and missing samples don't count.
    @Test func motionDoesNotCountAsNoise() throws {
        let device = try SimulatedDevice(.eight, duration: 4, noise: InertialNoise(gyroscope: 0, accelerometer: 0))
        var estimator = InertialNoiseEstimator()
        for (index, sample) in device.recording.samples.enumerated() where index % 50 != 7 && !(300..<320).contains(index) {
            estimator.add(sample)
        }
        let measured = estimator.noise(atLeast: InertialNoise(gyroscope: 0, accelerometer: 0))
        #expect(measured.gyroscope < 5e-5)
        #expect(measured.accelerometer < 2e-4)
    }

    /// The vibration of a motor cancels between frames; irregular shaking of the same strength does not, and counts up to a limit.
    @Test func onlyIrregularVibrationCountsAsNoise() throws {
        let spline = try SimulatedDevice(.held, duration: 3).spline
        var simulator = InertialSimulator(rate: 220)
        simulator.vibration = 1
        var (motor, shaking) = (InertialNoiseEstimator(), InertialNoiseEstimator())
        var random = GaussianGenerator(seed: 3)
        for sample in simulator.record(spline).samples { motor.add(sample) }
        simulator.vibration = 0
        for var sample in simulator.record(spline).samples {
            sample.acceleration += random.vector()
            shaking.add(sample)
        }
        #expect(motor.noise(atLeast: InertialNoise()).accelerometer < 0.03)
        #expect(shaking.noise(atLeast: InertialNoise()).accelerometer > 0.05)
        #expect(shaking.noise(atLeast: InertialNoise()).accelerometer <= 0.1)
    }
}
