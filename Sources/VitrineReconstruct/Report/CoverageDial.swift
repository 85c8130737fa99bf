#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Draws the directions of the cameras: straight above in the middle, the horizon as a ring, cameras below it outside.
struct CoverageDial {
    let coverage: Coverage

    private static let size = 420.0
    private static let center = 210.0
    /// The radius of the horizon.
    private static let horizon = 150.0

    var markup: String {
        var svg = SVG(width: Self.size, height: Self.size)
        cells(&svg)
        grid(&svg)
        for direction in coverage.directions {
            let (x, y) = Self.position(azimuth: direction.azimuth, elevation: direction.elevation)
            let title = "\(direction.name): \(Int(direction.azimuth))° around, \(Int(direction.elevation))° up"
            svg.circle(x, y, 4, "class=\"camera\"", title: title)
        }
        return svg.markup
    }

    private static func radius(_ elevation: Double) -> Double { horizon * (90 - max(-30, elevation)) / 90 }

    private static func position(azimuth: Double, elevation: Double) -> (Double, Double) {
        // +Z, the front, points down on the page, as on a plan; +X to the right.
        let angle = azimuth * .pi / 180
        return (center + radius(elevation) * sin(angle), center + radius(elevation) * cos(angle))
    }

    /// Fills directions within 20 degrees of a camera.
    private func cells(_ svg: inout SVG) {
        for cell in CoverageGrid.report.cells {
            let count = coverage.directions.count { $0.direction.angle(to: cell.center) < 20 }
            let level = count == 0 ? 0 : count == 1 ? 1 : count <= 3 ? 2 : 3
            svg.path(Self.outline(of: cell), "class=\"cell cell\(level)\"", title: "\(count) photos near")
        }
    }

    private static func outline(of cell: CoverageGrid.Cell) -> String {
        let (from, to) = (cell.azimuths.lowerBound, cell.azimuths.upperBound)
        let (low, high) = (cell.elevations.lowerBound, cell.elevations.upperBound)
        let (a, b) = (position(azimuth: from, elevation: low), position(azimuth: to, elevation: low))
        let (c, d) = (position(azimuth: to, elevation: high), position(azimuth: from, elevation: high))
        let (outer, inner) = (radius(low), radius(high))
        return
            "M\(n(a.0)) \(n(a.1))A\(n(outer)) \(n(outer)) 0 0 0 \(n(b.0)) \(n(b.1))L\(n(c.0)) \(n(c.1))A\(n(inner)) \(n(inner)) 0 0 1 \(n(d.0)) \(n(d.1))Z"
    }

    private func grid(_ svg: inout SVG) {
        for elevation in [0.0, 30, 60] {
            svg.circle(Self.center, Self.center, Self.radius(elevation), "class=\"grid\"")
            svg.text(Self.center + 4, Self.center - Self.radius(elevation) - 3, "\(Int(elevation))°", "class=\"small\"")
        }
        svg.text(Self.center, Self.size - 4, "front", "class=\"small\" text-anchor=\"middle\"")
        svg.text(Self.center, 12, "back", "class=\"small\" text-anchor=\"middle\"")
    }
}
