import VitrineGeometry
import VitrineMath
import VitrineReconstruct

/// The directions around an object from which shots were taken: three heights with 24 directions each.
///
/// Azimuths are radians about +Y from the box's front (its +Z side, which faced the camera when the object was detected), rising towards its +X.
public struct CaptureDial: Equatable, Sendable {
    /// A range of elevations of the camera above the object's centre.
    public enum Height: Int, Hashable, Sendable, CaseIterable {
        /// Elevations below 20°.
        case low
        /// Elevations from 20 to 45°.
        case middle
        /// Elevations above 45°.
        case high
    }

    /// The number of directions at each height. Each spans 15°.
    public static let directionCount = 24
    private static let elevations = [-90.0..<20, 20..<45, 45..<90.01]
    private static let grid = CoverageGrid(rings: elevations.map { ($0, directionCount) })
    /// Degrees of view direction on either side of a shot that count as covered: half the spacing of automatic shots, with a margin.
    private static let reach = 8.5

    /// The directions of the shots, in their order.
    private var directions: [CoverageGrid.Direction] = []
    /// The number of shots in each direction, by height, then by azimuth.
    public private(set) var counts = Array(repeating: Array(repeating: 0, count: directionCount), count: Height.allCases.count)
    /// Whether shots cover each direction, by height, then by azimuth: one within 8.5° of its middle as seen from the object.
    public private(set) var covered = Array(
        repeating: Array(repeating: false, count: directionCount), count: Height.allCases.count)
    /// The direction of the camera at present, radians; azimuths from 0 to 2π. nil without a box.
    public var camera: (azimuth: Double, elevation: Double)? {
        cameraDirection.map { ($0.azimuth * .pi / 180, $0.elevation * .pi / 180) }
    }
    package var cameraDirection: CoverageGrid.Direction?

    /// Creates an empty dial.
    public init() {}

    /// The height of an elevation in radians.
    public static func height(atElevation elevation: Double) -> Height { Height(rawValue: grid.ring(at: elevation * 180 / .pi)) ?? .high }

    /// The share of the covered directions at a height, 0…1.
    public func fraction(at height: Height) -> Double {
        Double(covered[height.rawValue].count { $0 }) / Double(Self.directionCount)
    }

    /// The share of the directions that are covered at any height, 0…1.
    public var fraction: Double {
        let count = (0..<Self.directionCount).count { sector in covered.contains { $0[sector] } }
        return Double(count) / Double(Self.directionCount)
    }

    /// Whether each direction is covered at some height.
    public var isComplete: Bool { fraction == 1 }

    /// The index of the direction that contains an azimuth in radians.
    public static func direction(atAzimuth azimuth: Double) -> Int { sector(atTurns: azimuth / (2 * .pi)) }
    private static func sector(of direction: CoverageGrid.Direction) -> Int { sector(atTurns: direction.azimuth / 360) }

    private static func sector(atTurns turns: Double) -> Int {
        min(Int((turns - turns.rounded(.down)) * Double(directionCount)), directionCount - 1)
    }

    /// Radians from a direction to the nearest shot; nil without shots.
    func angleToNearest(_ direction: CoverageGrid.Direction) -> Double? {
        directions.map { $0.angle(to: direction) }.min().map { $0 * .pi / 180 }
    }

    /// Whether shots cover the cell that contains a direction.
    func covers(_ direction: CoverageGrid.Direction) -> Bool {
        covered[Self.grid.ring(at: direction.elevation)][Self.sector(of: direction)]
    }

    mutating func add(_ direction: CoverageGrid.Direction) {
        directions.append(direction)
        let ring = Self.grid.ring(at: direction.elevation)
        counts[ring][Self.sector(of: direction)] += 1
        let level = VitrineMath.cos(direction.elevation * .pi / 180)
        for cell in Self.grid.cells(ofRing: ring) {
            let turn = abs(direction.azimuth - cell.center.azimuth)
            // Near the pole directions converge.
            if min(turn, 360 - turn) * level <= Self.reach { covered[ring][cell.sector] = true }
        }
    }
}

extension OrientedBox {
    /// The direction from the box's centre to a point, in the box's frame.
    func direction(to pointInWorld: Vector3d) -> CoverageGrid.Direction? {
        CoverageGrid.Direction(of: Vector3(boxFromWorld * pointInWorld))
    }
}

/// The advised step after a complete pass.
public enum PassAdvice: Equatable, Sendable, CustomStringConvertible {
    /// Walk around the object once more at this height: `beginNewScanPass()`.
    case anotherHeight(CaptureDial.Height)
    /// Turn the object over: `beginNewScanPassAfterFlip()`.
    case flip
    /// The captured directions suffice: `finish()`.
    case finish

    public var description: String {
        switch self {
        case .anotherHeight(.low): "walk around the object once more with the camera low, at its height"
        case .anotherHeight(.middle): "walk around the object once more with the camera a little above it"
        case .anotherHeight(.high): "walk around the object once more with the camera high, tilted down"
        case .flip: "turn the object over and capture its underside"
        case .finish: "the object is captured from all sides: finish"
        }
    }

    /// The advice after a complete pass: the middle height, then high, then low; then a flip, once.
    ///
    /// - Parameters:
    ///   - isFlippable: Whether the object can be turned over; nil if it is unknown.
    ///   - flips: The number of times the object was turned over.
    init(_ dial: CaptureDial, isFlippable: Bool?, flips: Int) {
        let missing = [CaptureDial.Height.middle, .high, .low].first { dial.fraction(at: $0) < 0.75 }
        // After a flip, one ring shows the underside.
        if let missing, flips == 0 { self = .anotherHeight(missing) } else { self = isFlippable == true && flips == 0 ? .flip : .finish }
    }
}
