import VitrineMath

/// The directions around an object in rings of elevation and sectors of azimuth: the cells of the report's and of a capture's coverage dial.
package struct CoverageGrid: Hashable, Sendable {
    /// A direction from the object's centre.
    package struct Direction: Hashable, Sendable {
        /// The azimuth in degrees about +Y, 0 at +Z, rising towards +X, 0..<360.
        package var azimuth: Double
        /// The elevation in degrees above the horizon, −90…90.
        package var elevation: Double

        package init(azimuth: Double, elevation: Double) { (self.azimuth, self.elevation) = (azimuth, elevation) }

        /// The direction of a vector, +Y up; nil for a vector without length.
        package init?(of vector: Vector3) {
            let level = (vector.x * vector.x + vector.z * vector.z).squareRoot()
            guard level > 0 || vector.y != 0 else { return nil }
            var azimuth = Angle.radians(VitrineMath.atan2(vector.x, vector.z)).degrees
            if azimuth < 0 { azimuth += 360 }
            self.init(azimuth: Double(azimuth), elevation: Double(Angle.radians(VitrineMath.atan2(vector.y, level)).degrees))
        }

        /// The direction as a unit vector; +Y is up.
        package var unit: SIMD3<Double> {
            let (a, e) = (azimuth * .pi / 180, elevation * .pi / 180)
            return SIMD3(VitrineMath.sin(a) * VitrineMath.cos(e), VitrineMath.sin(e), VitrineMath.cos(a) * VitrineMath.cos(e))
        }

        /// Returns the angle between two directions in degrees.
        package func angle(to other: Direction) -> Double {
            VitrineMath.acos(min(1, max(-1, (unit * other.unit).sum()))) * 180 / .pi
        }
    }

    /// A part of the sphere.
    package struct Cell: Hashable, Sendable {
        package let ring, sector: Int
        /// The ranges of azimuth and elevation, in degrees.
        package let azimuths, elevations: Range<Double>

        package var center: Direction {
            Direction(
                azimuth: (azimuths.lowerBound + azimuths.upperBound) / 2, elevation: (elevations.lowerBound + elevations.upperBound) / 2)
        }
    }

    /// A ring of elevations with its sectors.
    private struct Ring: Hashable, Sendable {
        /// The elevations of the ring, in degrees.
        var elevations: Range<Double>
        var sectors: Int
    }

    private let rings: [Ring]

    /// Creates a grid from rings of cells.
    ///
    /// - Parameter rings: Elevations in degrees and the number of sectors, from the lowest ring up.
    package init(rings: [(elevations: Range<Double>, sectors: Int)]) {
        self.rings = rings.map { Ring(elevations: $0.elevations, sectors: $0.sectors) }
    }

    /// The grid of the report, with cells of about 15 by 20 degrees from 30 degrees below the horizon.
    package static let report = CoverageGrid(
        rings: [(-30..<(-10), 24), (-10..<10, 24), (10..<30, 24), (30..<50, 24), (50..<70, 24), (70..<90, 8)])

    /// All cells, ring by ring.
    package var cells: [Cell] { rings.indices.flatMap { cells(ofRing: $0) } }

    /// The cells of a ring, by azimuth.
    package func cells(ofRing ring: Int) -> [Cell] {
        let step = 360 / Double(rings[ring].sectors)
        return (0..<rings[ring].sectors).map { sector in
            Cell(
                ring: ring, sector: sector, azimuths: Double(sector) * step..<Double(sector + 1) * step,
                elevations: rings[ring].elevations)
        }
    }

    /// The ring of an elevation; the lowest or highest for elevations beyond.
    package func ring(at elevation: Double) -> Int {
        rings.firstIndex { elevation < $0.elevations.upperBound } ?? rings.count - 1
    }
}
