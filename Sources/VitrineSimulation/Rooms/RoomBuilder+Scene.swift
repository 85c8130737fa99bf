import Vitrine
import VitrineVision

extension RoomBuilder {
    /// The panels as meshes, one for each surface, with the light that falls on them in their vertices' colours.
    func scene(light: RoomLight, spacing: Float, seed: UInt64) -> Scene {
        let scene = Scene(name: "room")
        scene.environment.background = .color(.black)
        let sheets = Parallel().map(panels.count) { light.sheet(of: panels[$0], spacing: spacing) }
        let gain = RoomLight.gain(panels, sheets)
        let used = RoomSurface.allCases.filter { surface in panels.contains { $0.surface == surface } }
        let pictures = Parallel().map(used.count) { used[$0].picture(seed: seed) }
        for (surface, picture) in zip(used, pictures) {
            let chosen = panels.indices.filter { panels[$0].surface == surface }
            guard let geometry = Self.geometry(chosen.map { (panels[$0], sheets[$0]) }, gain: surface.glow == nil ? gain : 1) else {
                continue
            }
            let material = Material(name: "\(surface)", baseColor: .white)
            material.lightingModel = .constant
            material.baseColor.map = TextureMap(Texture(picture))
            scene.rootNode.addChildNode(Node(name: "\(surface)", mesh: Mesh(geometry: geometry, material: material)))
        }
        return scene
    }

    private static func geometry(_ sheets: [(Panel, RoomLight.Sheet)], gain: Float) -> Geometry? {
        var positions: [Float] = []
        var coordinates: [Float] = []
        var colors: [Float] = []
        var indices: [UInt32] = []
        for (panel, sheet) in sheets {
            let base = UInt32(positions.count / 3)
            for row in 0...sheet.rows {
                for column in 0...sheet.columns {
                    let share = Vector2(Float(column) / Float(sheet.columns), Float(row) / Float(sheet.rows))
                    let place = panel.origin + panel.across * share.x + panel.down * share.y
                    positions += [place.x, place.y, place.z]
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
