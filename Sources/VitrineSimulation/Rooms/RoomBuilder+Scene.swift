import Vitrine
import VitrineVision

extension RoomBuilder {
    /// Makes a mesh for each surface, with the baked light as vertex colours.
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
