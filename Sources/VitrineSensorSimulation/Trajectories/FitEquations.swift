import VitrineMath
import VitrineVision

/// The equations of an `InertialTrajectoryFit`: of each control point its place, quaternion and biases, and nine unknowns that all have to do
/// with. Those are eliminated last (a bordered band).
struct FitEquations {
    /// Of a control point's thirteen unknowns the first of its biases.
    static let gyroscope = 7, accelerometer = 10
    static let width = 13
    /// In this order: the tilt about x and z, the mount's turn and arm, the clock. Of a right side, the tenth lane is the side itself.
    typealias Common = SIMD16<Double>
    static let commons = 9

    /// One equation's coefficients from a control point on.
    struct Row {
        var numbers = [Double](repeating: 0, count: 6 * FitEquations.width)
        var common = Common.zero

        subscript(control: Int, component: Int) -> Double {
            get { numbers[control * FitEquations.width + component] }
            set { numbers[control * FitEquations.width + component] = newValue }
        }

        mutating func place(_ control: Int, _ slope: Vector3d) { for axis in 0..<3 { self[control, axis] = slope[axis] } }
        mutating func turn(_ control: Int, _ slope: SIMD4<Double>) { for axis in 0..<4 { self[control, 3 + axis] = slope[axis] } }
    }

    struct Step {
        var controls: [(place: Vector3d, turn: SIMD4<Double>, gyroscopeBias: Vector3d, accelerometerBias: Vector3d)] = []
        var common: [Double]
    }

    private(set) var cost = 0.0
    private let controls: Int
    private var band: BandedSystem<Common>
    /// Rows of the common unknowns by themselves.
    private var corner = [Common](repeating: .zero, count: commons)

    init(controls: Int) {
        self.controls = controls
        band = BandedSystem(count: controls * Self.width, band: 6 * Self.width)
    }

    /// - Parameter miss: what is expected less what was measured.
    mutating func add(_ row: Row, at control: Int, miss: Double, weight: Double) {
        cost += miss * miss * weight
        var right = row.common
        right[Self.commons] = -miss
        // The last control points have fewer than six from them on.
        let numbers = control + 6 <= controls ? row.numbers : Array(row.numbers.prefix((controls - control) * Self.width))
        band.add(numbers, at: control * Self.width, right, weight: weight)
        for index in 0..<Self.commons where row.common[index] != 0 { corner[index] += right * (row.common[index] * weight) }
    }

    /// nil where the equations don't fix all unknowns.
    mutating func solve() -> Step? {
        let coupling = band.right
        guard band.solve() else { return nil }
        var rows = corner
        for (coupled, solved) in zip(coupling, band.right) {
            for index in 0..<Self.commons where coupled[index] != 0 { rows[index] -= solved * coupled[index] }
        }
        var system = SymmetricSystem(size: Self.commons)
        for i in 0..<Self.commons {
            for j in 0..<Self.commons { system.matrix[i * Self.commons + j] = rows[i][j] }
            system.right[i] = rows[i][Self.commons]
        }
        guard let common = system.factored()?.solve(system.right) else { return nil }
        let x = band.right.map { solved in (0..<Self.commons).reduce(solved[Self.commons]) { $0 - solved[$1] * common[$1] } }
        var step = Step(common: common)
        for start in stride(from: 0, to: x.count, by: Self.width) {
            func three(_ at: Int) -> Vector3d { Vector3d(x[start + at], x[start + at + 1], x[start + at + 2]) }
            step.controls.append(
                (three(0), SIMD4(three(3), x[start + 6]), three(Self.gyroscope), three(Self.accelerometer)))
        }
        return step
    }
}
