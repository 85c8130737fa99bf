import Vitrine

/// A boarding pass over a poster: gradients, blend modes, shadows, a mask, text, a card tilted in perspective. Points, y down.
@MainActor func makePoster() throws -> Layer {
    let root = Layer(name: "Poster", frame: Rectangle(x: 0, y: 0, width: 480, height: 360))
    root.fill = .gradient(.vertical([Color(sRGB: 0x1A1446), Color(sRGB: 0x7B2D8B), Color(sRGB: 0xFF7A59), Color(sRGB: 0xFFD27A)]))
    root.clipsToBounds = true
    let sun = Layer(name: "Sun", frame: Rectangle(x: 270, y: 90, width: 150, height: 150))
    sun.shape = .ellipse
    sun.fill = .gradient(Gradient(.radial(), [Color(sRGB: 0xFFF6D8), Color(sRGB: 0xFFC36A)]))
    sun.shadow = Shadow(Color(sRGB: 0xFFD890), radius: 30, offset: .zero, opacity: 0.9)
    root.add(sun)
    for (index, color) in [UInt32(0x3B1E5A), 0x2A1548, 0x190D30].enumerated() {
        let hill = Layer(name: "Hill", frame: Rectangle(x: 0, y: 0, width: 480, height: 360))
        let base = 225 + 40 * Float(index)
        var ridge = Path()
        ridge.move(to: [0, 360])
        for step in 0...48 {
            let x = Float(step) * 10
            ridge.line(to: [x, base + 18 * sin(x / (52 - 9 * Float(index)) + 2.1 * Float(index)) + 7 * sin(x / 17 + Float(index))])
        }
        ridge.line(to: [480, 360])
        ridge.close()
        hill.shape = .path(ridge)
        hill.fill = .color(Color(sRGB: color))
        root.add(hill)
    }

    let pass = Layer(name: "Pass", frame: Rectangle(x: 58, y: 92, width: 290, height: 150))
    pass.cornerRadius = 16
    pass.fill = .color(Color(white: 0.98))
    pass.shadow = Shadow(radius: 16, offset: [0, 14], opacity: 0.45)
    pass.transform =
        Matrix4(perspectiveDistance: 700) * Matrix4(rotation: .degrees(-24), axis: [0, 1, 0])
        * Matrix4(rotation: .degrees(-5), axis: [0, 0, 1])
    func write(_ text: String, size: Float, at position: Vector2, _ color: UInt32) throws {
        let line = try Layer(text: text, size: size, color: Color(sRGB: color))
        line.frame = Rectangle(origin: position, size: line.bounds.size)
        pass.add(line)
    }
    let band = Layer(name: "Band", frame: Rectangle(x: 0, y: 0, width: 290, height: 40))
    band.fill = .gradient(Gradient(.linear(from: [0, 0], to: [1, 0]), [Color(sRGB: 0x2D6CDF), Color(sRGB: 0x7B2D8B)]))
    let outline = Layer(name: "Outline", frame: Rectangle(x: 0, y: 0, width: 290, height: 150))
    outline.cornerRadius = 16
    outline.fill = .color(.white)
    band.mask = outline
    pass.add(band)
    try write("VITRINE AIR", size: 16, at: [18, 10], 0xFFFFFF)
    try write("ZRH", size: 42, at: [18, 50], 0x1B1B2B)
    try write("KEF", size: 42, at: [172, 50], 0x1B1B2B)
    try write("Ada Newcomer", size: 13, at: [18, 112], 0x555566)
    try write("seat 12A", size: 13, at: [172, 112], 0x555566)
    let route = Layer(name: "Route", frame: Rectangle(x: 118, y: 60, width: 44, height: 30))
    var arc = Path()
    arc.move(to: [0, 24])
    arc.quadratic(to: [44, 24], control: [22, -8])
    route.shape = .path(arc)
    route.stroke = Stroke(.color(Color(sRGB: 0x7B2D8B)), width: 2.5, cap: .round, dashes: [1, 5])
    pass.add(route)
    let gloss = Layer(name: "Gloss", frame: Rectangle(x: 0, y: 0, width: 290, height: 150))
    gloss.cornerRadius = 16
    gloss.fill = .gradient(
        Gradient(.linear(from: [0, 0], to: [1, 1]), [Color(white: 1, alpha: 0), Color(white: 1, alpha: 0.5), Color(white: 1, alpha: 0)]))
    gloss.blendMode = .softLight
    pass.add(gloss)
    pass.zPosition = 150
    root.add(pass)
    return root
}
