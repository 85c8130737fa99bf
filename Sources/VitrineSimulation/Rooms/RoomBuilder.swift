import Vitrine
import VitrineVision

/// Collects the rectangular panels of a simulated room.
struct RoomBuilder {
    /// A rectangle, visible from the side of `down × across`.
    struct Panel: Sendable {
        /// The upper left corner of its texture.
        var origin: Vector3
        /// The edges from left to right and from top to bottom.
        var across, down: Vector3
        var surface: RoomSurface
        /// Texture coordinates of the upper left corner.
        var offset: Vector2
        /// Texture coordinates that the panel spans.
        var span: Vector2

        var normal: Vector3 { normalize(cross(down, across)) }
    }

    private(set) var panels: [Panel] = []
    var random: SplitMix64
    /// The frame of the current object.
    var frame = ObjectFrame()

    /// A position and a rotation about the vertical.
    struct ObjectFrame {
        var origin = Vector3(0, 0, 0)
        var sine: Float = 0
        var cosine: Float = 1

        init() {}

        /// Creates the frame of an object in a room.
        ///
        /// - Parameter angle: The angle in radians, from +Z towards +X.
        init(at origin: Vector3, rotatedBy angle: Float) { (self.origin, sine, cosine) = (origin, sin(angle), cos(angle)) }

        func direction(_ v: Vector3) -> Vector3 { Vector3(v.x * cosine + v.z * sine, v.y, v.z * cosine - v.x * sine) }
        func point(_ v: Vector3) -> Vector3 { origin + direction(v) }
    }

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// A random number from `low` to `high`.
    mutating func between(_ low: Float, _ high: Float) -> Float { low + (high - low) * Float(random.below(1 << 20)) / Float(1 << 20) }

    /// A random choice.
    mutating func pick<T>(_ choices: [T]) -> T { choices[random.below(choices.count)] }

    /// Builds an object around its own origin at a position of the current object, rotated about the vertical.
    mutating func object(at position: Vector3, rotatedBy angle: Float, _ body: (inout RoomBuilder) -> Void) {
        let before = frame
        let turn = atan2(before.sine, before.cosine) + angle
        frame = ObjectFrame(at: before.point(position), rotatedBy: turn)
        body(&self)
        frame = before
    }

    /// The world bounds of a box in the current frame.
    func bounds(_ low: Vector3, _ high: Vector3) -> BoundingBox {
        var box = BoundingBox.empty
        for corner in [low, Vector3(low.x, low.y, high.z), Vector3(high.x, high.y, low.z), high] { box.formUnion(frame.point(corner)) }
        return box
    }

    /// Adds a panel in the current frame.
    mutating func panel(_ origin: Vector3, across: Vector3, down: Vector3, _ surface: RoomSurface) {
        var (offset, span) = (Vector2(0, 0), Vector2(1, 1))
        if let size = surface.repeats {
            offset = Vector2(between(0, 1), between(0, 1))
            span = Vector2(length(across), length(down)) / size
        }
        panels.append(
            Panel(
                origin: frame.point(origin), across: frame.direction(across), down: frame.direction(down), surface: surface, offset: offset,
                span: span))
    }

    /// Adds a box between two corners; `front` is the surface of its +Z side, `top` of its top, if different.
    mutating func box(_ low: Vector3, _ high: Vector3, _ surface: RoomSurface, front: RoomSurface? = nil, top: RoomSurface? = nil) {
        let size = high - low
        let (x, y, z) = (Vector3(size.x, 0, 0), Vector3(0, -size.y, 0), Vector3(0, 0, size.z))
        panel(Vector3(low.x, high.y, high.z), across: x, down: y, front ?? surface)
        panel(Vector3(high.x, high.y, low.z), across: -x, down: y, surface)
        panel(Vector3(high.x, high.y, high.z), across: -z, down: y, surface)
        panel(Vector3(low.x, high.y, low.z), across: z, down: y, surface)
        panel(Vector3(low.x, high.y, low.z), across: x, down: z, top ?? surface)
        panel(Vector3(low.x, low.y, high.z), across: x, down: -z, surface)
    }

    /// Adds an upright prism with `sides` sides.
    mutating func drum(_ foot: Vector3, radius: Float, height: Float, _ surface: RoomSurface, sides: Int = 12) {
        let corner = { (index: Int) -> Vector3 in
            let angle = 2 * Float.pi * Float(index) / Float(sides)
            return foot + Vector3(radius * sin(angle), height, radius * cos(angle))
        }
        for index in 0..<sides {
            panel(corner(index), across: corner(index + 1) - corner(index), down: Vector3(0, -height, 0), surface)
        }
        // A square lid: sufficient as seen from the side.
        let half = radius * 0.7071
        panel(foot + Vector3(-half, height, -half), across: Vector3(2 * half, 0, 0), down: Vector3(0, 0, 2 * half), surface)
    }
}

extension RoomBuilder {
    /// Creates a mesh for each surface, with the baked light as vertex colours.
    func scene(light: RoomLighting, spacing: Float, seed: UInt64) -> Scene {
        let scene = Scene(name: "room")
        scene.environment.background = .color(.black)
        let sheets = Parallel().map(panels.count) { light.sheet(of: panels[$0], spacing: spacing) }
        let gain = RoomLighting.gain(panels, sheets)
        let used = RoomSurface.allCases.filter { surface in panels.contains { $0.surface == surface } }
        let images = Parallel().map(used.count) { used[$0].image(seed: seed) }
        for (surface, image) in zip(used, images) {
            let chosen = panels.indices.filter { panels[$0].surface == surface }
            guard let geometry = Self.geometry(chosen.map { (panels[$0], sheets[$0]) }, gain: surface.glow == nil ? gain : 1) else {
                continue
            }
            let material = Material(name: "\(surface)", baseColor: .white)
            material.lightingModel = .constant
            material.baseColor.map = TextureMap(Texture(image))
            scene.rootNode.addChildNode(Node(name: "\(surface)", mesh: Mesh(geometry: geometry, material: material)))
        }
        return scene
    }

    private static func geometry(_ sheets: [(Panel, RoomLighting.Sheet)], gain: Float) -> Geometry? {
        var positions: [Float] = []
        var coordinates: [Float] = []
        var colors: [Float] = []
        var indices: [UInt32] = []
        for (panel, sheet) in sheets {
            let base = UInt32(positions.count / 3)
            for row in 0...sheet.rows {
                for column in 0...sheet.columns {
                    let share = Vector2(Float(column) / Float(sheet.columns), Float(row) / Float(sheet.rows))
                    let position = panel.origin + panel.across * share.x + panel.down * share.y
                    positions += [position.x, position.y, position.z]
                    coordinates += [panel.offset.x + panel.span.x * share.x, panel.offset.y + panel.span.y * share.y]
                    let color = sheet.light[row * (sheet.columns + 1) + column] * gain
                    colors += [color.x, color.y, color.z]
                }
            }
            let stride = UInt32(sheet.columns + 1)
            for row in 0..<UInt32(sheet.rows) {
                for column in 0..<UInt32(sheet.columns) {
                    let corner = base + row * stride + column
                    indices += [corner, corner + stride, corner + stride + 1, corner, corner + stride + 1, corner + 1]
                }
            }
        }
        return try? Geometry(
            attributes: [
                VertexAttribute(.position, componentCount: 3, values: positions),
                VertexAttribute(.textureCoordinate(set: 0), componentCount: 2, values: coordinates),
                VertexAttribute(.color(set: 0), componentCount: 3, values: colors),
            ], indices: indices)
    }
}
