/// A COLLADA document with every kind of library, or a package; the bytes after the first zero byte are every document beside it.
let daeTarget = FuzzTarget.document {
    func source(_ id: String, _ values: String, _ count: Int, _ names: [String]) -> String {
        "<source id=\"\(id)\"><float_array id=\"\(id)a\">\(values)</float_array><technique_common><accessor source=\"#\(id)a\" count=\"\(count)\" stride=\"\(names.count)\">"
            + names.map { "<param name=\"\($0)\"/>" }.joined() + "</accessor></technique_common></source>"
    }
    let xyz = ["X", "Y", "Z"]
    let mesh =
        source("p", "0 0 0 1 0 0 1 1 0 0 1 0 .5 .5 0", 5, xyz) + source("u", "0 0 1 1", 2, ["S", "T"])
        + "<vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices>"
    let inputs =
        "<input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><input semantic=\"TEXCOORD\" source=\"#u\" offset=\"1\" set=\"0\"/>"
    let elements =
        "<polylist material=\"m\">\(inputs)<vcount>4 3</vcount><p>0 0 1 1 2 0 3 1 0 0 1 1 4 0</p></polylist>"
        + "<polygons>\(inputs)<p>0 0 1 0 2 0 4 0 3 0</p><ph><p>0 0 1 0 2 0 3 0</p><h>4 0 1 0 2 0</h></ph></polygons>"
        + "<tristrips>\(inputs)<p>0 0 1 0 2 0 3 1</p></tristrips><linestrips>\(inputs)<p>0 0 1 0</p></linestrips>"
    let effect =
        "<effect id=\"e\"><profile_COMMON><newparam sid=\"f\"><surface type=\"2D\"><init_from>i</init_from></surface></newparam><newparam sid=\"s\"><sampler2D><source>f</source><wrap_s>MIRROR</wrap_s></sampler2D></newparam><technique sid=\"t\"><phong><diffuse><texture texture=\"s\" texcoord=\"T\"/></diffuse><specular><color>1 1 1 1</color></specular><transparent opaque=\"RGB_ZERO\"><color>.5 .5 .5 1</color></transparent><transparency><float>.5</float></transparency></phong></technique></profile_COMMON></effect>"
    let skin =
        "<controller id=\"k\"><skin source=\"#h\"><source id=\"j\"><Name_array id=\"ja\">b c</Name_array></source>"
        + source("w", "1 .5", 2, ["W"])
        + "<joints><input semantic=\"JOINT\" source=\"#j\"/></joints><vertex_weights><input semantic=\"JOINT\" source=\"#j\" offset=\"0\"/><input semantic=\"WEIGHT\" source=\"#w\" offset=\"1\"/><vcount>1 2 0 1 1</vcount><v>0 0 1 1 0 1 1 0 -1 0</v></vertex_weights></skin></controller>"
    let morph =
        "<controller id=\"h\"><morph source=\"#g\"><source id=\"mt\"><IDREF_array id=\"mta\">g</IDREF_array></source>"
        + source("mw", "0.5", 1, ["W"])
        + "<targets><input semantic=\"MORPH_TARGET\" source=\"#mt\"/><input semantic=\"MORPH_WEIGHT\" source=\"#mw\"/></targets></morph></controller>"
    let animation =
        "<library_animations><animation id=\"a\">" + source("ti", "0 1 2", 3, ["TIME"]) + source("to", "0 400 5", 3, ["ANGLE"])
        + source("tt", "0 0 1 1 2 2", 3, ["X", "Y"])
        + "<source id=\"ip\"><Name_array id=\"ipa\">BEZIER LINEAR STEP</Name_array></source><sampler id=\"sa\"><input semantic=\"INPUT\" source=\"#ti\"/><input semantic=\"OUTPUT\" source=\"#to\"/><input semantic=\"INTERPOLATION\" source=\"#ip\"/><input semantic=\"IN_TANGENT\" source=\"#tt\"/><input semantic=\"OUT_TANGENT\" source=\"#tt\"/></sampler><channel source=\"#sa\" target=\"n/r.ANGLE\"/><channel source=\"#sa\" target=\"mwa(0)\"/></animation></library_animations><library_animation_clips><animation_clip id=\"c\" start=\"0.5\" end=\"1.5\"><instance_animation url=\"#a\"/></animation_clip></library_animation_clips>"
    let others =
        "<library_cameras><camera id=\"cam\"><optics><technique_common><perspective><xfov>40</xfov><znear>1</znear><zfar>9</zfar></perspective></technique_common></optics></camera></library_cameras><library_lights><light id=\"l\"><technique_common><spot><color>1 1 1</color><falloff_angle>40</falloff_angle><falloff_exponent>2</falloff_exponent></spot></technique_common></light></library_lights><library_images><image id=\"i\"><init_from>x%20y.png</init_from></image></library_images>"
    let nodes =
        "<node id=\"n\" sid=\"b\"><lookat>0 0 1 0 0 0 0 1 0</lookat><rotate sid=\"r\">0 1 0 30</rotate><skew>10 1 0 0 0 1 0</skew><instance_camera url=\"#cam\"/><instance_light url=\"#l\"/><instance_node url=\"a#q\"/></node><node><instance_controller url=\"#k\"><skeleton>#n</skeleton><bind_material><technique_common><instance_material symbol=\"m\" target=\"#mat\"><bind_vertex_input semantic=\"T\" input_semantic=\"TEXCOORD\" input_set=\"0\"/></instance_material></technique_common></bind_material></instance_controller></node>"
    let document =
        "<COLLADA><asset><unit meter=\"0.01\"/><up_axis>Z_UP</up_axis></asset>\(others)<library_effects>\(effect)</library_effects><library_materials><material id=\"mat\"><instance_effect url=\"#e\"/></material></library_materials><library_geometries><geometry id=\"g\"><mesh>\(mesh)\(elements)</mesh></geometry></library_geometries><library_controllers>\(morph)\(skin)</library_controllers>\(animation)<library_visual_scenes><visual_scene id=\"vs\">\(nodes)</visual_scene></library_visual_scenes><scene><instance_visual_scene url=\"#vs\"/></scene></COLLADA>"
    let other = "<COLLADA><library_nodes><node id=\"q\"><matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</matrix></node></library_nodes></COLLADA>"
    return [
        Array((document + "\0" + other).utf8),
        Array("<COLLADA><library_visual_scenes><visual_scene/></library_visual_scenes></COLLADA>".utf8),
    ]
}
