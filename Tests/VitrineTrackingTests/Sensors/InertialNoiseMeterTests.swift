import Testing
import VitrineMath
import VitrineVision

@testable import VitrineTracking

@Suite struct InertialNoiseEstimatorTests {
    /// White noise comes out as it went in, however the device is carried.
    @Test func measuresWhiteNoiseInMotion() throws {
        let noise = InertialNoise(gyroscope: 8e-4, accelerometer: 6e-3)
        let device = try SimulatedDevice(.held, duration: 4, noise: noise)
        var meter = InertialNoiseEstimator()
        for sample in device.recording.samples { meter.add(sample) }
        let measured = meter.noise(atLeast: InertialNoise(gyroscope: 1e-4, accelerometer: 5e-4))
        #expect(abs(measured.gyroscope / 8e-4 - 1) < 0.15)
        #expect(abs(measured.accelerometer / 6e-3 - 1) < 0.15)
        // A larger stated noise is kept.
        let stated = InertialNoise(gyroscope: 2e-3, accelerometer: 0.02)
        #expect(meter.noise(atLeast: stated) == stated)
    }

    /// A perfect IMU in a hand has next to none, and gaps and samples left out aren't taken for any.
    @Test func motionIsNotTakenForNoise() throws {
        let device = try SimulatedDevice(.eight, duration: 4, noise: InertialNoise(gyroscope: 0, accelerometer: 0))
        var meter = InertialNoiseEstimator()
        for (index, sample) in device.recording.samples.enumerated() where index % 50 != 7 && !(300..<320).contains(index) {
            meter.add(sample)
        }
        let measured = meter.noise(atLeast: InertialNoise(gyroscope: 0, accelerometer: 0))
        #expect(measured.gyroscope < 5e-5)
        #expect(measured.accelerometer < 2e-4)
    }

    /// An engine shakes an IMU far beyond what its maker says: the tracker notices.
    @Test func vibrationCountsAsNoise() throws {
        let device = try SimulatedDevice(.held, duration: 3)
        var meter = InertialNoiseEstimator()
        for (index, sample) in device.recording.samples.enumerated() {
            var shaken = sample
            shaken.acceleration += Vector3d(1, 0.5, -0.7) * (index % 2 == 0 ? 1 : -1)
            meter.add(shaken)
        }
        #expect(meter.noise(atLeast: InertialNoise()).accelerometer > 0.05)
        #expect(meter.noise(atLeast: InertialNoise()).accelerometer <= 0.1)
    }
}
