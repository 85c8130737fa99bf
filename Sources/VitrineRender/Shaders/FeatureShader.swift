/// The bits of `FEATURES` (`SurfaceFeatures`).
let featureShader = """
    const UV_TRANSFORMS = 12u;
    const SECOND_UV = 13u;
    const VERTEX_COLOR = 14u;
    const VERTEX_NORMALS = 15u;
    const VERTEX_TANGENTS = 16u;
    const UNLIT = 17u;
    const BLENDED = 19u;
    const DOUBLE_SIDED = 20u;
    const PUNCTUAL_LIGHTS = 21u;
    const ENVIRONMENT = 22u;
    const ENCODED_OUTPUT = 23u;
    const HDR_OUTPUT = 24u;
    const VERTEX_OCCLUSION = 25u;
    const SHADOWS = 26u;
    const AREA_LIGHTS = 27u;
    const SCREEN_OCCLUSION = 28u;
    const SOFT_SKY = 29u;
    const SOFT_SHADOWS = 30u;
    const CUBE_SHADOWS = 31u;
    """
