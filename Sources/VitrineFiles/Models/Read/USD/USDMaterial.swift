import VitrineScene

/// A material, and the primvars that it reads.
struct USDMaterial {
    let material: Material
    /// Which set a name of coordinates stands for.
    var coordinateSets: [String: Int] = [:]
    /// Whether the base colour comes from `displayColor`.
    var readsColours = false
}

/// What an input of a shader gets.
enum USDInput {
    /// Its own value, or one that it is connected to.
    case value(USDField, USDStage.Site)
    /// A shader's output.
    case shader(prim: Int, output: String)
}
