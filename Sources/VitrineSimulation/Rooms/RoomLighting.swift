import Vitrine

/// Bakes the lighting of a simulated room: direct light of emissive panels with shadows, and ambient light with occlusion.
struct RoomLighting: Sendable {
    /// The light at the vertices of a panel, rows from the top.
    struct Sheet: Sendable {
        var columns, rows: Int
        /// Linear RGB; 1 is a white wall in full light.
        var light: [Vector3]
    }

    private struct PointLight: Sendable {
        var position, normal, color: Vector3
    }

    private let walls: TriangleHierarchy
    private let lights: [PointLight]
    /// Sample directions about the z axis.
    private let directions: [Vector3]

    init(_ panels: [RoomBuilder.Panel]) {
        var (positions, indices, lights): ([Float], [UInt32], [PointLight]) = ([], [], [])
        for panel in panels {
            let base = UInt32(positions.count / 3)
            for corner in [Vector3(0, 0, 0), panel.down, panel.down + panel.across, panel.across] {
                let position = panel.origin + corner
                positions += [position.x, position.y, position.z]
            }
            indices += [base, base + 1, base + 2, base, base + 2, base + 3]
            lights += Self.pointLights(of: panel)
        }
        walls = TriangleHierarchy(positions: positions, indices: indices)
        self.lights = lights
        directions = Self.hemisphere(40)
    }

    /// Point lights over an emissive panel, each for its part of the area.
    private static func pointLights(of panel: RoomBuilder.Panel) -> [PointLight] {
        let color: Vector3
        switch panel.surface {
        case .window: color = Vector3(0.92, 0.97, 1.05) * 1.6
        case .ceilingLight: color = Vector3(1.05, 0.95, 0.80) * 3
        default: return []
        }
        let (columns, rows) = (3, 3)
        let area = length(cross(panel.across, panel.down)) / Float(columns * rows)
        return (0..<columns * rows).map { index in
            let share = Vector2((Float(index % columns) + 0.5) / Float(columns), (Float(index / columns) + 0.5) / Float(rows))
            let position = panel.origin + panel.across * share.x + panel.down * share.y + panel.normal * 0.02
            return PointLight(position: position, normal: panel.normal, color: color * area)
        }
    }

    /// Cosine-weighted directions about +Z on a golden spiral.
    private static func hemisphere(_ count: Int) -> [Vector3] {
        (0..<count).map { index in
            let share = (Float(index) + 0.5) / Float(count)
            let (radius, angle) = (share.squareRoot(), Float(index) * 2.399963)
            return Vector3(radius * cos(angle), radius * sin(angle), (1 - share).squareRoot())
        }
    }

    /// Bakes a panel.
    ///
    /// - Parameter spacing: The approximate distance of vertices in metres.
    func sheet(of panel: RoomBuilder.Panel, spacing: Float) -> Sheet {
        let columns = max(1, Int((length(panel.across) / spacing).rounded(.up)))
        let rows = max(1, Int((length(panel.down) / spacing).rounded(.up)))
        if let glow = panel.surface.glow {
            return Sheet(columns: columns, rows: rows, light: Array(repeating: Vector3(repeating: glow), count: (columns + 1) * (rows + 1)))
        }
        var light: [Vector3] = []
        let normal = panel.normal
        let axes = (normalize(panel.across), normalize(panel.down))
        // Samples vertices slightly inside of the panel, so that adjacent panels do not occlude them.
        let inset = Vector2(min(0.02 / max(length(panel.across), 0.05), 0.2), min(0.02 / max(length(panel.down), 0.05), 0.2))
        for row in 0...rows {
            for column in 0...columns {
                let share = Vector2(
                    clamp(Float(column) / Float(columns), inset.x, 1 - inset.x), clamp(Float(row) / Float(rows), inset.y, 1 - inset.y))
                let position = panel.origin + panel.across * share.x + panel.down * share.y + normal * 0.004
                light.append(direct(position, normal) + ambient(position, normal, axes))
            }
        }
        return Sheet(columns: columns, rows: rows, light: light)
    }

    private func direct(_ position: Vector3, _ normal: Vector3) -> Vector3 {
        var sum = Vector3(0, 0, 0)
        for light in lights {
            let to = light.position - position
            let squared = lengthSquared(to)
            let (incident, emitted) = (dot(to, normal), -dot(to, light.normal))
            guard incident > 0, emitted > 0, squared > 1e-4 else { continue }
            guard !walls.isMet(by: Ray(origin: position, direction: to), within: 0.995) else { continue }
            sum += light.color * (incident * emitted / (squared * max(squared, 0.05)))
        }
        return sum / .pi
    }

    /// Returns the ambient light: more from farther surfaces.
    private func ambient(_ position: Vector3, _ normal: Vector3, _ axes: (Vector3, Vector3)) -> Vector3 {
        var sum: Float = 0
        for d in directions {
            let direction = axes.0 * d.x + axes.1 * d.y + normal * d.z
            let distance = walls.nearest(Ray(origin: position, direction: direction), within: 2)?.distance ?? 2
            sum += 0.2 + 0.8 * smoothstep(0, 1.4, distance)
        }
        return Vector3(1, 0.97, 0.93) * (0.22 * sum / Float(directions.count))
    }

    /// The gain that scales the mean light to 0.62, so that images are neither dark nor overexposed.
    static func gain(_ panels: [RoomBuilder.Panel], _ sheets: [Sheet]) -> Float {
        var (sum, area): (Float, Float) = (0, 0)
        for (panel, sheet) in zip(panels, sheets) where panel.surface.glow == nil {
            let size = length(cross(panel.across, panel.down))
            sum += size * sheet.light.reduce(0) { $0 + $1.y } / Float(sheet.light.count)
            area += size
        }
        return sum > 0 ? 0.62 * area / sum : 1
    }
}
