import VitrineMath
import VitrineVision

/// The gyroscope's readings integrated over a window, as a table: gives the rotation between any two times and its derivatives by the bias and
/// the times.
struct IntegratedGyroscope: Sendable {
    private let samples: [InertialSample]
    /// The first sample's body from each sample's, without subtracting a bias, and the derivative by the bias (on the right).
    private var rotations: [Matrix3d] = []
    private var byBias: [Matrix3d] = []

    init(_ samples: [InertialSample]) {
        self.samples = samples
        var (rotation, jacobian) = (Matrix3d.identity, Matrix3d(.zero, .zero, .zero))
        for (index, sample) in samples.enumerated() {
            if index > 0 {
                let step = sample.time - samples[index - 1].time
                let turn = (samples[index - 1].angularVelocity + sample.angularVelocity) * (step / 2)
                let part = Matrix3d.rotation(turn)
                rotation = rotation * part
                jacobian = part.transpose * jacobian - Rotations.rightJacobian(turn) * step
            }
            rotations.append(rotation)
            byBias.append(jacobian)
        }
    }

    struct Moment {
        var rotation, byBias: Matrix3d
        /// The reading, rad/s.
        var rate: Vector3d
    }

    /// Extrapolates outside of the samples with the nearest reading.
    func moment(at time: Double) -> Moment {
        var (low, high) = (0, samples.count - 1)
        while low < high {
            let middle = (low + high + 1) / 2
            if samples[middle].time <= time { low = middle } else { high = middle - 1 }
        }
        let start = samples[low]
        var rate = start.angularVelocity
        var mean = rate
        if low + 1 < samples.count, time > start.time {
            let next = samples[low + 1]
            rate += (next.angularVelocity - rate) * ((time - start.time) / (next.time - start.time))
            mean = (start.angularVelocity + rate) / 2
        }
        let step = time - start.time
        let part = Matrix3d.rotation(mean * step)
        return Moment(
            rotation: rotations[low] * part, byBias: part.transpose * byBias[low] - Rotations.rightJacobian(mean * step) * step, rate: rate)
    }
}
